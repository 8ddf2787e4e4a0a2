// Serves `ctx.ask()`: a question that a tool has in the middle of its work. It stands apart because
// the call runs already, so no answer can change its input, and there is no record to wait in.

import { cannotAsk } from './admit.ts'
import type { Call } from './call.ts'
import { refuse } from './envelope.ts'
import { canonicalInput } from './file-call.ts'
import { put, questionOf } from './question.ts'
import { refused } from './refused.ts'
import { rejection } from './rejection.ts'
import type { ToolQuestion } from './tool-context.ts'

/** Resolves when a person says yes; throws the refusal otherwise. */
export async function askInside(call: Call, { reason, resources }: ToolQuestion): Promise<void> {
  const { ask } = call.gate.core
  if (ask === undefined) throw refused(call, cannotAsk(call.gate, call.tool))
  const { value, hash } = canonicalInput(call.tool, call.input)
  const question = questionOf(call, {
    id: crypto.randomUUID(),
    input: value,
    inputHash: hash,
    resources: resources ?? call.tool.resourcesOf(call.input),
    reason: reason ?? `\`${call.tool.name}\` asks before it goes on`,
    rule: undefined,
    // The tool asks anew each time; nothing here is remembered.
    mayAlways: false,
  })
  const answer = await put(call, ask, question)
  switch (answer.decision) {
    case 'once':
    case 'always':
      return
    case 'edit':
      throw refused(
        call,
        refuse('APPROVAL_REJECTED', `\`${call.tool.name}\` runs already, so its input cannot be changed`),
      )
    case 'reject':
    case 'fault':
    case 'cancel':
      throw refused(call, rejection(call, answer))
    default:
      answer satisfies never
  }
}
