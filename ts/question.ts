// Puts a question to the `ask` callback and tells the listeners about it. It stands apart because
// two ask: the gate before a call, and a tool in the middle of its work.

import { askPerson, type Answer, type Ask, type Question } from './ask.ts'
import { eventOf, type Call } from './call.ts'
import type { Explanation } from './native.ts'
import { declareLine } from './register-tools.ts'

/** What a question is about. */
export interface Subject {
  readonly id: string
  readonly input: unknown
  readonly inputHash: string
  readonly resources: readonly string[]
  readonly reason: string
  readonly rule: Explanation['rule']
  readonly mayAlways: boolean
}

/**
 * The question as the person reads it: a copy through and through, because the callback and the
 * listeners are foreign code, and what they write into it must not come to run or be remembered.
 */
export function questionOf(call: Call, subject: Subject): Question {
  const { gate, tool, callId } = call
  const { role, session, tenant, principal, depth } = gate.who
  return {
    ...structuredClone(subject),
    tool: tool.name,
    callId,
    effect: tool.effect,
    role,
    session,
    tenant,
    principal,
    depth,
    proposals: [],
  }
}

/** Asks, tells who listens, and comes back with an answer on every path. */
export async function put(call: Call, ask: Ask, question: Question): Promise<Answer> {
  const { events } = call.gate
  // Their own: what a listener writes would be what the person reads.
  events.emit('question-asked', { ...eventOf(call), question: structuredClone(question) })
  const answer = await askPerson(ask, question, call.abortSignal ?? new AbortController().signal)
  if (answer.decision === 'fault') {
    const why = answer.detail === undefined ? '' : `: ${answer.detail}`
    events.warn(`asking about a call of \`${call.tool.name}\` failed: ${answer.message}${why}`, 'look at `ask`')
  }
  events.emit('question-answered', {
    ...eventOf(call),
    decision: answer.decision === 'fault' ? 'reject' : answer.decision,
    message: 'message' in answer ? answer.message : undefined,
  })
  return answer
}

/** Why a person is asked; for an undeclared tool with the line that ends the questions. */
export function reasonFor(call: Call, explanation: Explanation): string {
  const { tool } = call
  const { text } = explanation
  if (tool.isDeclared || text.includes('declare:')) return text
  return `${text} (if \`${tool.name}\` changes nothing, declare it: \`${declareLine(tool.name)}\`)`
}
