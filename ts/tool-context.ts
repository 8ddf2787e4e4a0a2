// What a tool is told about the call it serves. It stands apart because `defineTool` passes it as
// the second argument, an AI SDK tool finds it as `options.toolgate`, and both have to be the same.

import type { ModelMessage } from './to-ai-sdk-types.ts'

/** The second argument of a tool made by `defineTool`; `options.toolgate` of any other tool. */
export interface ToolContext {
  readonly session: string
  /** Which user message the call answers. */
  readonly turn: string
  readonly messageId: string | undefined
  readonly callId: string
  readonly role: string | undefined
  readonly tenant: string | undefined
  readonly principal: string | undefined
  readonly abortSignal: AbortSignal | undefined
  /** The prompt that led to the call. */
  readonly messages: readonly ModelMessage[]
  /** The same for every attempt of this very call; only guarded calls have one. */
  readonly idempotencyKey: string | undefined
  /** Asks a person in the middle of the work. Resolves when allowed, throws the refusal when not. */
  readonly ask: (question?: ToolQuestion) => Promise<void>
  /** Shows something about this call while it runs. */
  readonly metadata: (about: ToolMetadata) => void
  /** Properties that a plugin added to the input. */
  readonly extra: Readonly<Record<string, unknown>>
}

/** A question of the tool itself. */
export interface ToolQuestion {
  /** What is asked, in one sentence. */
  readonly reason?: string | undefined
  /** What it is about; the resources of the call when absent. */
  readonly resources?: readonly string[] | undefined
}

/** What a tool says about its own call. */
export interface ToolMetadata {
  readonly title?: string | undefined
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
}
