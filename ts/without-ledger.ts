// Runs without a record, with `store: false`. It stands apart because what is missing here is the
// promise of everything else: only a tool that guards nothing may still be asked about.

import { subjectOf } from './ask-first.ts'
import { isRemembered, remember } from './ask-memory.ts'
import type { Call } from './call.ts'
import { editedInput } from './edited-input.ts'
import { refuse, type Refusal } from './envelope.ts'
import { RefusalError } from './errors.ts'
import type { FiledCall } from './file-call.ts'
import type { Right, Why } from './obtain.ts'
import { put, questionOf } from './question.ts'
import { aborted, rejection } from './rejection.ts'

/** With `store: false`: a tool that guards nothing may still be asked about, inside the call. */
export async function withoutLedger(
  call: Call,
  filed: FiledCall,
  why: Why,
  resources: readonly string[],
): Promise<Right> {
  const { gate, tool } = call
  const { ask } = gate.core
  if (why !== 'ask' || tool.isGuarded) throw new RefusalError(noStore(call))
  const run = (input: unknown): Right => {
    if (call.abortSignal?.aborted === true) throw new RefusalError(aborted(call))
    return { step: 'run', input, run: undefined }
  }
  if (isRemembered(gate, tool, resources, filed.value)) return run(filed.value)
  if (ask === undefined) throw new RefusalError(noStore(call))
  const answer = await put(call, ask, questionOf(call, subjectOf(call, filed, resources)))
  switch (answer.decision) {
    case 'always':
      remember(gate, tool, resources, filed.value)
      return run(filed.value)
    case 'once':
      return run(filed.value)
    case 'edit': {
      const edited = await editedInput(call, answer.input)
      if (!edited.ok) throw new RefusalError(edited.refusal)
      return run(edited.value)
    }
    case 'reject':
    case 'fault':
    case 'cancel':
      throw new RefusalError(rejection(call, answer))
    default:
      return answer satisfies never
  }
}

/** The refusal of what needs a record where there is none. */
export function noStore({ tool }: Pick<Call, 'tool'>): Refusal {
  const help = 'Pass a `store` to `createToolgate`, or wire `ask`'
  return tool.isGuarded
    ? refuse(
        'UNGUARDED_EFFECT',
        `\`${tool.name}\` may change the outside world, and without a store nothing keeps it from running twice`,
        { help },
      )
    : refuse(
        'APPROVAL_REQUIRED',
        `\`${tool.name}\` needs the approval of a person, and without a store an answer has nowhere to come back to`,
        { help },
      )
}
