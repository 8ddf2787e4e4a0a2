// Tells a tool about the call it serves. It stands apart as a class because it is made for every
// call: what costs something (the turn, two functions) is made when a tool reads it.

import { askInside } from './ask-inside.ts'
import { eventOf, type Call } from './call.ts'
import { messageOf } from './envelope.ts'
import { onRejection } from './events.ts'
import { turnIn } from './gate.ts'
import type { ModelMessage } from './to-ai-sdk-types.ts'
import type { ToolContext, ToolMetadata } from './tool-context.ts'

const noExtra: Readonly<Record<string, unknown>> = Object.freeze({})

/** What the tool is told about its call. */
export class CallContext implements ToolContext {
  readonly session: string
  readonly messageId: string | undefined
  readonly callId: string
  readonly role: string | undefined
  readonly tenant: string | undefined
  readonly principal: string | undefined
  readonly abortSignal: AbortSignal | undefined
  readonly messages: readonly ModelMessage[]
  readonly idempotencyKey: string | undefined
  readonly extra: Readonly<Record<string, unknown>> = noExtra
  readonly #call: Call

  constructor(call: Call, idempotencyKey: string | undefined) {
    const { who } = call.gate
    this.session = who.session
    this.messageId = who.messageId
    this.callId = call.callId
    this.role = who.role
    this.tenant = who.tenant
    this.principal = who.principal
    this.abortSignal = call.abortSignal
    this.messages = call.messages
    this.idempotencyKey = idempotencyKey
    this.#call = call
  }

  /** Hashes the last user message, where nobody named the turn. */
  get turn(): string {
    return turnIn(this.#call.gate, this.messages)
  }

  /** A function of its own, so that a tool may take it out of the context. */
  get ask(): ToolContext['ask'] {
    return (question = {}) => askInside(this.#call, question)
  }

  get metadata(): ToolContext['metadata'] {
    return (about) => tellMetadata(this.#call, about)
  }
}

function tellMetadata(call: Call, { title, metadata }: ToolMetadata): void {
  const { gate, callId, tool } = call
  gate.events.emit('tool-metadata', { ...eventOf(call), title, metadata })
  // The browser is gone; the tool works on.
  const warn = (thrown: unknown): void => {
    const what = `what \`${tool.name}\` says about its call could not be shown: ${messageOf(thrown)}`
    gate.events.warn(what, 'look at the writer')
  }
  try {
    // The id makes the AI SDK replace the earlier part of the same call.
    const written: unknown = gate.writer?.write({
      type: 'data-toolgate-metadata',
      id: callId,
      data: { toolCallId: callId, toolName: tool.name, title, metadata },
    })
    onRejection(written, warn)
  } catch (thrown) {
    warn(thrown)
  }
}
