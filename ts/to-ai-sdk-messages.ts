// Stands where `convertToModelMessages` stood. It stands apart because the messages come back from
// the browser: what they say about questions goes to the records, and what they show the model
// must not leave a question open that nobody will answer any more.

import { optionInvalid, kindOf } from './check.ts'
import { closeQuestion, takeAnswer } from './take-answer.ts'
import type { Gate } from './gate.ts'
import { isRecord, ownList, ownProperty, ownText } from './get-own.ts'
import { onlyTurn, turnOf } from './identity.ts'
import type { ToolTable } from './options.ts'
import type { ModelMessage, ToolSet, UIMessage } from './to-ai-sdk-types.ts'

/** Takes the answers out of `messages` and gives the model's view of them; `known` render old results. */
export async function toModelMessages(
  gate: Gate,
  known: () => ToolTable,
  messages: readonly UIMessage[] | readonly ModelMessage[],
): Promise<ModelMessage[]> {
  if (!Array.isArray(messages)) {
    throw optionInvalid(
      'messages',
      `is ${kindOf(messages)}`,
      'pass the messages of `useChat` or model messages',
    )
  }
  if (isModelMessages(messages)) {
    findTurn(gate, turnOf(messages))
    await takeModelAnswers(gate, messages)
    return [...messages]
  }
  const turns = turnsOf(messages)
  findTurn(gate, turns.at(-1) ?? onlyTurn)
  const settled = await settle(gate, messages, turns)
  const { convertToModelMessages } = await import('ai')
  const tools: unknown = known()
  return convertToModelMessages(isUiMessages(settled) ? settled : [], isToolSet(tools) ? { tools } : {})
}

/** Only that it is a list: the AI SDK reads the messages one by one and reports what is wrong. */
function isUiMessages(messages: readonly unknown[]): messages is UIMessage[] {
  return Array.isArray(messages)
}

/** Whatever passed as `tools` is a tool set for the AI SDK as well. */
function isToolSet(tools: unknown): tools is ToolSet {
  return isRecord(tools)
}

function isModelMessages(messages: readonly unknown[]): messages is readonly ModelMessage[] {
  return !messages.some((message) => Array.isArray(ownProperty(message, 'parts')))
}

function findTurn(gate: Gate, found: string): void {
  if (!gate.isTurnGiven) gate.turn = found
}

/** The turn of every message: the id of the user message that it is or comes after. */
function turnsOf(messages: readonly unknown[]): string[] {
  let turn = onlyTurn
  return messages.map((message, index) => {
    if (ownProperty(message, 'role') === 'user') {
      const id = ownText(message, 'id')
      turn = id === undefined || id === '' ? turnOf(messages.slice(0, index + 1)) : id
    }
    return turn
  })
}

/** Every message, with the questions of past exchanges closed and the answers of this one taken. */
async function settle(
  gate: Gate,
  messages: readonly unknown[],
  turns: readonly string[],
): Promise<unknown[]> {
  const lastUser = messages.findLastIndex((message) => ownProperty(message, 'role') === 'user')
  const settled: unknown[] = []
  for (const [index, message] of messages.entries()) {
    if (!isRecord(message) || message['role'] !== 'assistant') {
      settled.push(message)
      continue
    }
    const isPast = index < lastUser
    const turn = isPast ? (turns[index] ?? '') : (gate.turn ?? '')
    const parts: unknown[] = []
    for (const part of ownList(message, 'parts')) {
      parts.push(isPast ? await closePart(gate, turn, part) : await takePart(gate, turn, part))
    }
    settled.push({ ...message, parts })
  }
  return settled
}

/** A part of the exchange that goes on: its answer counts. */
async function takePart(gate: Gate, turn: string, part: unknown): Promise<unknown> {
  const approval = ownProperty(part, 'approval')
  const isApproved = ownProperty(approval, 'approved')
  const tool = toolOf(part)
  const callId = ownText(part, 'toolCallId')
  if (tool === undefined || callId === undefined || typeof isApproved !== 'boolean') return part
  const reason = ownText(approval, 'reason')
  await takeAnswer(gate, { turn, tool, callId, input: ownProperty(part, 'input') }, { isApproved, reason })
  return part
}

const movedOn = 'The user went on without answering, so this call did not run.'

/** A part of an exchange that is over: an open question is closed, for the record and for the model. */
async function closePart(gate: Gate, turn: string, part: unknown): Promise<unknown> {
  const state = ownText(part, 'state')
  if (!isRecord(part) || (state !== 'approval-requested' && state !== 'approval-responded')) return part
  const tool = toolOf(part)
  const callId = ownText(part, 'toolCallId')
  const approval = ownProperty(part, 'approval')
  if (tool === undefined || callId === undefined || !isRecord(approval)) return part
  const end = await closeQuestion(gate, { turn, tool, callId, input: part['input'] })
  // It ran, and the browser lost the result: a stream that broke off, a tab that was closed.
  if (end?.ok === true) return { ...part, state: 'output-available', output: end.output }
  const reason = end?.error.message ?? ownText(approval, 'reason') ?? movedOn
  return { ...part, state: 'output-denied', approval: { ...approval, approved: false, reason } }
}

function toolOf(part: unknown): string | undefined {
  const type = ownText(part, 'type')
  if (type === 'dynamic-tool') return ownText(part, 'toolName')
  return type?.startsWith('tool-') === true ? type.slice('tool-'.length) : undefined
}

/** The answers in the last of the model's messages, the only ones that the AI SDK acts on. */
async function takeModelAnswers(gate: Gate, messages: readonly ModelMessage[]): Promise<void> {
  const last = messages.at(-1)
  if (last?.role !== 'tool') return
  const calls = messages.flatMap((message) =>
    message.role === 'assistant' ? ownList(message, 'content') : [],
  )
  for (const part of last.content) {
    if (ownProperty(part, 'type') !== 'tool-approval-response') continue
    const request = calls.find(
      (call) =>
        ownProperty(call, 'type') === 'tool-approval-request' &&
        ownProperty(call, 'approvalId') === ownProperty(part, 'approvalId'),
    )
    const callId = ownText(request, 'toolCallId')
    const call = calls.find(
      (other) => ownProperty(other, 'type') === 'tool-call' && ownProperty(other, 'toolCallId') === callId,
    )
    const tool = ownText(call, 'toolName')
    if (callId === undefined || tool === undefined) continue
    await takeAnswer(
      gate,
      { turn: gate.turn ?? '', tool, callId, input: ownProperty(call, 'input') },
      { isApproved: ownProperty(part, 'approved') === true, reason: ownText(part, 'reason') },
    )
  }
}
