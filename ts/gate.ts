// What the calls of one table share. It stands apart because it is the one place that says what a
// call may look at: the snapshot of rules and tools that the table was built from, and never the
// toolgate's newer one.

import type { Ask } from './ask.ts'
import type { Events } from './events.ts'
import { turnOf, type SessionMemory, type Sessions } from './identity.ts'
import type { Ledger } from './ledger.ts'
import type { TableHandle } from './native.ts'
import type { Turnstile } from './turnstile.ts'

/** What all tables of a toolgate share. */
export interface Core {
  readonly ask: Ask | undefined
  /** Absent with `store: false`. */
  readonly ledger: Ledger | undefined
  /** Signs approval requests. Made when first needed: loading what makes it costs milliseconds. */
  readonly secret: () => string | Uint8Array
  readonly sessions: Sessions
  readonly turnstile: Turnstile
}

/** Whom a table serves. */
export interface Who {
  readonly session: string
  /** Whether the application named the session, so that a later request can come back to it. */
  readonly isSessionNamed: boolean
  readonly role: string | undefined
  readonly tenant: string | undefined
  readonly principal: string | undefined
  readonly messageId: string | undefined
  /** 0 for the agent itself, 1 for its sub-agents, and so on. */
  readonly depth: number
}

/** Where `ctx.metadata()` writes: the stream of UI messages. */
export interface Writer {
  write(part: { type: `data-${string}`; id: string; data: unknown }): void
}

/** One table, as its calls see it. */
export interface Gate {
  readonly core: Core
  readonly who: Who
  readonly memory: SessionMemory
  readonly table: TableHandle
  /** By index: 1 where a rule has a condition on the input. */
  readonly needsInput: Uint8Array
  readonly events: Events
  readonly abortSignal: AbortSignal | undefined
  /** The turn that was given, or that `messages()` found. */
  turn: string | undefined
  readonly isTurnGiven: boolean
  writer: Writer | undefined
}

/** The turn of a call that was made with `messages`. */
export function turnIn(gate: Gate, messages: readonly unknown[]): string {
  return gate.turn ?? turnOf(messages)
}
