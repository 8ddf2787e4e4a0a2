// A browser with `useChat` and a server with `streamText`, without either: messages go to and fro as
// JSON, the way they do over HTTP, and answers to questions are written into the parts.

import {
  readUIMessageStream,
  stepCountIs,
  streamText,
  type ToolSet,
  type UIMessage,
} from 'ai'

import type { Toolgate, Turn } from '../../ts/index.ts'
import { scripted, type Reply, type Scripted } from './model.ts'

/** A tool part, as far as tests look at it. */
export interface ToolPart {
  readonly type: string
  readonly toolCallId: string
  readonly state: string
  readonly input?: unknown
  readonly output?: unknown
  readonly errorText?: string
  readonly approval?: { readonly id: string; readonly approved?: boolean; readonly requestReason?: string }
}

/** How the server of a test differs from the one in the README. */
export interface ServerOptions {
  /** Leaves the signing secret out, so that only the gate stands in the way of a forged answer. */
  readonly isUnsigned?: boolean
  readonly turn?: Turn
}

/** One conversation. */
export class Chat {
  messages: UIMessage[] = []
  lastModel: Scripted = scripted()
  readonly #toolgate: Toolgate<ToolSet>
  readonly #server: ServerOptions
  #ids = 0

  constructor(toolgate: Toolgate<ToolSet>, server: ServerOptions = {}) {
    this.#toolgate = toolgate
    this.#server = server
  }

  /** The user writes; the model gives `replies`. */
  async send(text: string, ...replies: Reply[]): Promise<void> {
    this.messages.push({ id: `user-${(this.#ids += 1)}`, role: 'user', parts: [{ type: 'text', text }] })
    await this.post(...replies)
  }

  /** The user answers every open question; the browser posts when all of them are answered. */
  async answer(approved: boolean, reason?: string, ...replies: Reply[]): Promise<void> {
    this.messages = this.messages.map((message) => ({
      ...message,
      parts: message.parts.map((part) => answer(part, approved, reason)),
    }))
    await this.post(...replies)
  }

  /** What the browser sends, and what it makes of the stream that comes back. */
  async post(...replies: Reply[]): Promise<void> {
    const posted: UIMessage[] = JSON.parse(JSON.stringify(this.messages))
    const table = await this.#toolgate.table({ session: 'chat', ...this.#server.turn })
    this.lastModel = scripted(...replies)
    const { experimental_toolApprovalSecret, ...unsigned } = table.settings
    const result = streamText({
      model: this.lastModel.model,
      messages: await table.messages(posted),
      ...unsigned,
      ...(this.#server.isUnsigned === true ? {} : { experimental_toolApprovalSecret }),
      stopWhen: stepCountIs(5),
      onError: () => {},
    })
    const last = posted.at(-1)
    const stream = result.toUIMessageStream({
      originalMessages: posted,
      generateMessageId: () => `assistant-${(this.#ids += 1)}`,
      onError: (error) => (error instanceof Error ? error.message : String(error)),
    })
    const base = last?.role === 'assistant' ? { message: last } : {}
    let message: UIMessage | undefined
    for await (message of readUIMessageStream({ ...base, stream }));
    if (message === undefined) return
    this.messages = last?.role === 'assistant' ? [...posted.slice(0, -1), message] : [...posted, message]
  }

  /** The tool parts of the last message. */
  get parts(): ToolPart[] {
    const parts: unknown[] = this.messages.at(-1)?.parts ?? []
    return parts.filter(isToolPart)
  }

  /** The text of the last message. */
  get text(): string {
    return (this.messages.at(-1)?.parts ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('')
  }

  /** What the model read last. */
  get lastRequest(): string {
    return this.lastModel.requests.at(-1) ?? ''
  }
}

function isToolPart(part: unknown): part is ToolPart {
  return typeof part === 'object' && part !== null && 'toolCallId' in part
}

function answer<PART>(part: PART, approved: boolean, reason: string | undefined): PART {
  if (!isOpenQuestion(part)) return part
  const said = reason === undefined ? {} : { reason }
  return { ...part, state: 'approval-responded', approval: { ...part.approval, approved, ...said } }
}

function isOpenQuestion(part: unknown): part is ToolPart {
  return isToolPart(part) && part.state === 'approval-requested'
}
