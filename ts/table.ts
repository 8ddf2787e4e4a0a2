// What `toolgate.table()` gives: the tools of one request and everything to do with them. The type
// stands apart from the code that builds it because it is what a user reads.

import type { Envelope } from './envelope.ts'
import type { On } from './events.ts'
import type { Writer } from './gate.ts'
import type { Explanation, Hidden } from './native.ts'
import type { ModelMessage, Settings, UIMessage } from './to-ai-sdk-types.ts'
import type { ChildTurn } from './turn.ts'

/** The tools of one request, gated. */
export interface Table<TOOLS> {
  /** The tools that this turn may see, in the order of the application. */
  readonly tools: TOOLS
  /** What to spread into `streamText`, `generateText` or `prepareCall`. */
  readonly settings: Settings<TOOLS>
  /** The tools that are not in the table, and why. */
  readonly hidden: readonly Hidden[]
  /** The conversation; random when `table()` got none. */
  readonly session: string
  /**
   * Stands where `convertToModelMessages` stood. Takes the messages of `useChat` (or model
   * messages), records the answers in them, and closes questions that the user moved on from.
   */
  readonly messages: (messages: readonly UIMessage[] | readonly ModelMessage[]) => Promise<ModelMessage[]>
  /** Why a call would be allowed, asked about or denied; without an input, why the tool is. */
  readonly explain: (name: string, input?: unknown) => Explanation
  /** The same call without the AI SDK. Never throws for what the model or the tool did wrong. */
  readonly call: (name: string, input: unknown, options?: CallOptions) => Promise<Envelope>
  /** A table for a sub-agent: it may do at most what this one may. */
  readonly child: (turn?: ChildTurn) => Table<TOOLS>
  /** Where `ctx.metadata()` shows what a tool says about its call. */
  readonly attach: (writer: Writer) => void
  /** Listens to the calls of this table; what it returns stops listening. */
  readonly on: On
}

/** Options of `table.call`. */
export interface CallOptions {
  /** The same id runs at most once, where the call is recorded. Random when absent. */
  readonly callId?: string | undefined
  readonly abortSignal?: AbortSignal | undefined
  readonly messages?: readonly ModelMessage[] | undefined
}
