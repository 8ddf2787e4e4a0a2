// Asks a person before a call, at the `ask` callback, and records the answer. It stands apart because
// the question is recorded first: a process that dies while somebody thinks leaves a question
// behind, and never a call that ran without an answer.

import { explainCall } from './admit.ts'
import { mayAlways, remember } from './ask-memory.ts'
import type { Answer, Ask } from './ask.ts'
import type { Call } from './call.ts'
import { editedInput } from './edited-input.ts'
import { wellFormed } from './envelope.ts'
import { RefusalError } from './errors.ts'
import type { FiledCall } from './file-call.ts'
import type { Answer as LedgerAnswer, Outcome } from './ledger-step.ts'
import type { Question, Verdict } from './ledger-question.ts'
import type { Ledger } from './ledger.ts'
import { put, questionOf, reasonFor, type Subject } from './question.ts'
import { rejection } from './rejection.ts'

/** Asks at the callback and records the answer. */
export async function askFirst(
  call: Call,
  filed: FiledCall,
  ledger: Ledger,
  ask: Ask,
  resources: readonly string[],
): Promise<Outcome> {
  const { parts } = filed
  const subject = subjectOf(call, filed, resources)
  const verdict: Verdict = { type: 'needs-approval', question: recordedQuestion(subject) }
  const standing = await ledger.propose(parts, verdict, { signal: call.abortSignal })
  if (standing.type !== 'awaiting-approval') return standing
  const answer = await put(call, ask, questionOf(call, { ...subject, id: standing.question.id }))
  const decided = await decide(call, filed, ledger, standing.question.id, answer)
  if (decided.type === 'refused') return decided
  if (answer.decision === 'always') remember(call.gate, call.tool, resources, filed.value)
  return ledger.read(parts.key)
}

/** What the person is asked. */
export function subjectOf(call: Call, filed: FiledCall, resources: readonly string[]): Subject {
  const explanation = explainCall(call.gate, call.tool, resources, filed.value)
  return {
    id: crypto.randomUUID(),
    input: filed.value,
    inputHash: filed.parts.inputHash,
    resources,
    reason: reasonFor(call, explanation),
    rule: explanation.rule,
    mayAlways: mayAlways(call.tool, explanation),
  }
}

/** Records the answer; throws the refusal that it leads to. */
async function decide(
  call: Call,
  filed: FiledCall,
  ledger: Ledger,
  questionId: string,
  answer: Answer,
): Promise<Outcome> {
  const { key, inputHash, effect } = filed.parts
  const about = { questionId, inputHash, by: call.gate.who.principal ?? null, via: 'ask' }
  switch (answer.decision) {
    case 'once':
    case 'always':
      return ledger.decide(key, { ...about, decision: 'approve' })
    case 'edit': {
      const edited = await editedInput(call, answer.input)
      if (edited.ok) {
        const { text: input, hash } = edited
        return ledger.decide(key, {
          ...about,
          decision: 'approve',
          editedInput: { input, inputHash: hash, effect },
        })
      }
      const { message } = edited.refusal.error
      await recordRejection(ledger, key, about, message)
      throw new RefusalError(edited.refusal)
    }
    case 'reject':
    case 'fault':
      await recordRejection(ledger, key, about, answer.message)
      throw new RefusalError(rejection(call, answer))
    case 'cancel':
      await ledger.decide(key, { ...about, decision: 'cancel' })
      throw new RefusalError(rejection(call, answer))
    default:
      return answer satisfies never
  }
}

/** How long a question may wait for its answer: a person may come back the next morning. */
const questionMs = 24 * 60 * 60 * 1000

/** The question as the record keeps it. */
export function recordedQuestion({ id, reason, rule }: Subject): Question {
  return { id, reason, rule: rule?.origin ?? null, expiresInMs: questionMs }
}

/**
 * Records a rejection; where what was said cannot be recorded, the rejection alone. A "no" that is
 * lost would leave the question open for a later "yes".
 */
export async function recordRejection(
  ledger: Ledger,
  key: string,
  about: Omit<LedgerAnswer, 'decision' | 'message'>,
  message: string | undefined,
): Promise<Outcome> {
  const decided = await ledger.decide(key, { ...about, decision: 'reject', ...saying(message) })
  if (decided.type === 'decided' || message === undefined) return decided
  return ledger.decide(key, { ...about, decision: 'reject' })
}

/** What a person said, where something was said. */
export function saying(message: string | undefined): Pick<LedgerAnswer, 'message'> {
  return message === undefined ? {} : { message: wellFormed(message) }
}
