// The types of the AI SDK that stand in our public types. They are apart because `ai` is an
// optional peer: everything that names it is in `to-ai-sdk*.ts`, and a program without it compiles.

import type { ModelMessage, Tool, ToolSet, UIMessage } from 'ai'

export type { ModelMessage, Tool, ToolSet, UIMessage }

/** What the AI SDK 7 takes as the approval status of a call. */
export type ApprovalStatus =
  | { readonly type: 'not-applicable' }
  | { readonly type: 'user-approval'; readonly reason?: string }
  | { readonly type: 'denied'; readonly reason?: string }

/** What the AI SDK says about a call when it asks for its approval status. */
export interface ApprovalOptions {
  readonly toolCallId: string
  readonly messages: readonly ModelMessage[]
}

/** One entry of the map `toolApproval`, which the AI SDK 7 takes. */
export type ToolApproval = (
  input: unknown,
  options: ApprovalOptions,
) => ApprovalStatus | Promise<ApprovalStatus>

/** What to spread into `streamText`, `generateText` or the `prepareCall` of an agent. */
export interface Settings<TOOLS> {
  readonly tools: TOOLS
  /** Read by the AI SDK 7; the 6 reads `needsApproval` of each tool instead. */
  readonly toolApproval: { readonly [NAME in keyof TOOLS]: ToolApproval }
  readonly experimental_toolApprovalSecret: string | Uint8Array
}
