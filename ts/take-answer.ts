// Brings what a message says about a question to its record. It stands apart because the message is
// the browser's word: an answer counts only where this session asked about exactly this call, and
// everything else is data that nobody acts on.

import { recordRejection, saying } from './ask-first.ts'
import type { Envelope } from './envelope.ts'
import type { ClaimedAnswer } from './approval-messages.ts'
import type { Gate } from './gate.ts'
import { callKey, canonicalHash, parseEnvelope } from './native.ts'
import { toPlainJson } from './plain-json.ts'

/** A call the way a message tells of it. */
export interface ToldCall {
  readonly turn: string
  readonly tool: string
  readonly callId: string
  readonly input: unknown
}

/** Records an answer; one that fits no open question changes nothing. */
export async function takeAnswer(gate: Gate, told: ToldCall, answer: ClaimedAnswer): Promise<void> {
  const { ledger } = gate.core
  const found = ledger === undefined ? undefined : find(gate, told)
  if (ledger === undefined || found === undefined) return
  const about = { inputHash: found.inputHash, by: gate.who.principal ?? null, via: 'native' }
  const decided = answer.isApproved
    ? await ledger.decide(found.key, { ...about, decision: 'approve', ...saying(answer.reason) })
    : await recordRejection(ledger, found.key, about, answer.reason)
  if (decided.type !== 'decided' || decided.isRepeated) return
  tell(gate, told, answer.isApproved ? 'once' : 'reject', answer.reason)
}

/** Closes a question that the conversation went past; gives the result where the call has run. */
export async function closeQuestion(gate: Gate, told: ToldCall): Promise<Envelope | undefined> {
  const { ledger } = gate.core
  const found = ledger === undefined ? undefined : find(gate, told)
  if (ledger === undefined || found === undefined) return undefined
  const decided = await ledger.decide(found.key, {
    decision: 'supersede',
    inputHash: found.inputHash,
    by: gate.who.principal ?? null,
    via: 'native',
  })
  if (decided.type === 'decided' && !decided.isRepeated) tell(gate, told, 'cancel', undefined)
  const standing = await ledger.read(found.key)
  return standing.type === 'replay' ? parseEnvelope(standing.envelope) : undefined
}

function find(
  gate: Gate,
  { turn, tool, callId, input }: ToldCall,
): { key: string; inputHash: string } | undefined {
  const plain = toPlainJson(input)
  const inputHash = plain.ok ? canonicalHash(plain.text) : null
  // Half of a surrogate pair names no call of ours.
  if (inputHash === null || !toPlainJson([turn, tool, callId]).ok) return undefined
  const { tenant, session } = gate.who
  return { key: callKey(JSON.stringify([tenant ?? null, session, turn, tool, callId])), inputHash }
}

function tell(
  gate: Gate,
  { tool, callId }: ToldCall,
  decision: 'once' | 'reject' | 'cancel',
  message: string | undefined,
): void {
  const { session, role, tenant, principal } = gate.who
  gate.events.emit('question-answered', { tool, callId, session, role, tenant, principal, decision, message })
}
