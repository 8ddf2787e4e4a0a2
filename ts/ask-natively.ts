// Asks through the approvals of the AI SDK. It stands apart because this question outlives its
// request: it is recorded before the SDK asks, and the answer comes back with other messages,
// maybe to another process.

import { cannotAsk, faultRefusal } from './admit.ts'
import { holdsRequest } from './approval-messages.ts'
import { recordedQuestion, subjectOf } from './ask-first.ts'
import { eventOf, type Call } from './call.ts'
import { messageOf, type Refusal } from './envelope.ts'
import { fileCall } from './file-call.ts'
import type { Ledger } from './ledger.ts'
import { questionOf } from './question.ts'
import { refusedBy } from './refused.ts'
import { noStore } from './without-ledger.ts'

/** What the AI SDK has to be told about a call. */
export type Status =
  | { readonly type: 'not-applicable' }
  | { readonly type: 'user-approval'; readonly reason?: string }
  | { readonly type: 'denied'; readonly refusal: Refusal; readonly reason?: string | undefined }

/** Records the question and says how the AI SDK has to ask it. */
export async function askNatively(call: Call, resources: readonly string[]): Promise<Status> {
  try {
    return await ask(call, resources)
  } catch (thrown) {
    return { type: 'denied', refusal: faultRefusal(call.tool.name, thrown), reason: messageOf(thrown) }
  }
}

async function ask(call: Call, resources: readonly string[]): Promise<Status> {
  const { gate, tool } = call
  const { core, who, events } = gate
  if (core.ledger === undefined) return denied(noStore(call))
  // A sub-agent's question would stop its loop without anybody seeing it.
  if (!who.isSessionNamed || who.depth > 0) return denied(cannotAsk(gate, tool))
  const filed = fileCall(call)
  if (holdsRequest(call.messages, call.callId)) return continued(call, core.ledger, filed.parts.key)
  const subject = subjectOf(call, filed, resources)
  const standing = await core.ledger.propose(filed.parts, {
    type: 'needs-approval',
    question: recordedQuestion(subject),
  })
  switch (standing.type) {
    case 'awaiting-approval': {
      const question = questionOf(call, { ...subject, id: standing.question.id })
      events.emit('question-asked', { ...eventOf(call), question })
      return { type: 'user-approval', reason: subject.reason }
    }
    case 'refused':
      return denied(refusedBy(standing))
    default:
      // Answered or run already: `execute` finds the record and does not run again.
      return { type: 'not-applicable' }
  }
}

/**
 * The request that carries the answer. Nothing is recorded here: whoever sends an answer could
 * otherwise bring the question along.
 */
async function continued(call: Call, ledger: Ledger, key: string): Promise<Status> {
  const standing = await ledger.read(key)
  if (standing.type === 'absent') return denied(cannotAsk(call.gate, call.tool))
  return { type: 'user-approval' }
}

function denied(refusal: Refusal): Status {
  return { type: 'denied', refusal }
}
