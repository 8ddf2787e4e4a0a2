// One call on its way: who calls what with which input. It stands apart because running, recording
// and asking all pass it on, and because what a tool is told about its call is made from it.

import { messageOf, type EnvelopeMeta } from './envelope.ts'
import type { CallEvent } from './events.ts'
import { ownProperty } from './get-own.ts'
import { turnIn, type Gate } from './gate.ts'
import { callIdOf } from './identity.ts'
import type { RegisteredTool } from './register-tools.ts'
import type { ModelMessage } from './to-ai-sdk-types.ts'
import type { ToolContext, ToolMetadata, ToolQuestion } from './tool-context.ts'

/** One call. */
export interface Call {
  readonly gate: Gate
  readonly tool: RegisteredTool
  readonly input: unknown
  readonly callId: string
  /** The second argument of `execute`, as the AI SDK passed it. */
  readonly options: object | undefined
  readonly messages: readonly ModelMessage[]
  readonly abortSignal: AbortSignal | undefined
  /** Where `table.call` reads what the result says about itself. */
  readonly meta: WritableMeta | undefined
}

/** What a result says about itself, while it is being found out. */
export type WritableMeta = { -readonly [KEY in keyof EnvelopeMeta]: EnvelopeMeta[KEY] }

/** The call that `execute` or the approval of the AI SDK was called for. */
export function callOf(
  gate: Gate,
  tool: RegisteredTool,
  input: unknown,
  options: object | undefined,
  meta?: WritableMeta,
): Call {
  const signal = ownProperty(options, 'abortSignal')
  return {
    gate,
    tool,
    input,
    callId: callIdOf(ownProperty(options, 'toolCallId')),
    options,
    messages: messagesIn(options),
    abortSignal: signal instanceof AbortSignal ? signal : gate.abortSignal,
    meta,
  }
}

const noMessages: readonly ModelMessage[] = []

function messagesIn(options: object | undefined): readonly ModelMessage[] {
  const messages: unknown = ownProperty(options, 'messages')
  return isMessages(messages) ? messages : noMessages
}

/** Only that it is a list: each message is read as data, property by property. */
function isMessages(value: unknown): value is readonly ModelMessage[] {
  return Array.isArray(value)
}

/** The fields that every event about this call has. */
export function eventOf({ gate: { who }, tool, callId }: Call): CallEvent {
  const { session, role, tenant, principal } = who
  return { tool: tool.name, callId, session, role, tenant, principal }
}

/** The second argument of `execute`: what the AI SDK passed, and `toolgate`. */
export function optionsFor(call: Call, context: ToolContext): object {
  return { ...call.options, toolgate: context }
}

/** Asks a person for the tool itself; wired by the module that knows how. */
export type AskInside = (call: Call, question: ToolQuestion) => Promise<void>

/** What the tool is told about its call. */
export function contextOf(call: Call, askInside: AskInside, idempotencyKey: string | undefined): ToolContext {
  const { gate, callId, messages, abortSignal } = call
  const { session, messageId, role, tenant, principal } = gate.who
  return {
    session,
    // Found only when read: it hashes the last user message.
    get turn() {
      return turnIn(gate, messages)
    },
    messageId,
    callId,
    role,
    tenant,
    principal,
    abortSignal,
    messages,
    idempotencyKey,
    ask: (question = {}) => askInside(call, question),
    metadata: (about) => tellMetadata(call, about),
    extra: noExtra,
  }
}

const noExtra: Readonly<Record<string, unknown>> = Object.freeze({})

function tellMetadata(call: Call, { title, metadata }: ToolMetadata): void {
  const { gate, callId, tool } = call
  gate.events.emit('tool-metadata', { ...eventOf(call), title, metadata })
  try {
    // The id makes the AI SDK replace the earlier part of the same call.
    gate.writer?.write({
      type: 'data-toolgate-metadata',
      id: callId,
      data: { toolCallId: callId, toolName: tool.name, title, metadata },
    })
  } catch (thrown) {
    // The browser is gone; the tool works on.
    gate.events.warn(`what \`${tool.name}\` says about its call could not be shown: ${messageOf(thrown)}`, 'look at the writer')
  }
}
