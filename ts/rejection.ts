// The refusals that a person's answer leads to. They stand apart because the gate and a tool that
// asks by itself say them in the same words.

import type { Answer } from './ask.ts'
import type { Call } from './call.ts'
import { refuse, type Refusal } from './envelope.ts'

/** The refusal of a call whose question was not answered with yes. */
export function rejection(
  call: Call,
  answer: Extract<Answer, { decision: 'reject' | 'fault' | 'cancel' }>,
): Refusal {
  const { tool } = call
  switch (answer.decision) {
    case 'reject': {
      const said =
        answer.message === undefined || answer.message === '' ? '' : `. They said: ${answer.message}`
      return refuse(
        'APPROVAL_REJECTED',
        `a person rejected this call of \`${tool.name}\`; it did not run${said}`,
      )
    }
    case 'fault':
      return refuse('APPROVAL_REJECTED', `\`${tool.name}\` did not run: ${answer.message}`)
    case 'cancel':
      return aborted(call)
    default:
      return answer satisfies never
  }
}

/** The refusal of a call that nobody waits for any more. */
export function aborted({ tool }: Call): Refusal {
  return refuse('CALL_ABORTED', `this call of \`${tool.name}\` was aborted before it ran`)
}
