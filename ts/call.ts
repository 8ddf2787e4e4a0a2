// One call on its way: who calls what with which input. It stands apart because running, recording
// and asking all pass it on, and because what a tool is told about its call is made from it.

import type { EnvelopeMeta } from './envelope.ts'
import type { CallEvent } from './events.ts'
import { ownProperty } from './get-own.ts'
import type { Gate } from './gate.ts'
import { callIdOf } from './identity.ts'
import type { RegisteredTool } from './register-tools.ts'
import type { ModelMessage } from './to-ai-sdk-types.ts'
import type { ToolContext } from './tool-context.ts'

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
    abortSignal: isSignal(signal) ? signal : gate.abortSignal,
    meta,
  }
}

/** By its shape: a signal of another realm aborts as well. */
export function isSignal(value: unknown): value is AbortSignal {
  return typeof value === 'object' && value !== null && 'aborted' in value
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
  // Set afterwards: adding a key to a spread costs Node 20 eight times as much as all the rest.
  const options: { toolgate: ToolContext | undefined } = { toolgate: undefined, ...call.options }
  options.toolgate = context
  return options
}
