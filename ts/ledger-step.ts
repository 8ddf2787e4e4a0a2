// What the ledger tells the core and what the core answers. It stands apart because these types are
// the two sides of one wire: `crates/toolgate/src/call/ledger` reads and writes exactly them.

import type { Code } from './errors.ts'
import type { Retention } from './store.ts'
import type { Effect } from './words.ts'

/** A call as the model made it. */
export interface CallParts {
  /** `callKey` of the parts. */
  readonly key: string
  readonly tenant: string | null
  readonly session: string
  readonly turn: string
  readonly tool: string
  readonly callId: string
  readonly principal: string | null
  readonly effect: Effect
  /** The fingerprint of the tool's definition. */
  readonly toolHash: string
  /** The canonical hash of `input`. */
  readonly inputHash: string
  /** The validated input as JSON. */
  readonly input: string
}

/** What a person is asked. */
export interface Asked {
  /** Random; a second question about the same call has another one. */
  readonly id: string
  readonly reason: string
  readonly rule: string | null
  /** By the clock of the store. */
  readonly expiresAtMs: number
}

/** The verdict of the gate on a proposed call. */
export type How =
  | { readonly type: 'denied'; readonly code: 'PERMISSION_DENIED' | 'UNGUARDED_EFFECT'; readonly message: string }
  | { readonly type: 'suppressed'; readonly envelope: string | null }
  | { readonly type: 'needs-approval'; readonly question: Asked }
  | { readonly type: 'approved-by-rule'; readonly rule: string }
  | { readonly type: 'approved-by-grant'; readonly grant: string }

/** An answer to a question. Anything but the four exact words counts for nothing. */
export interface Answer {
  /** May be left out for the first question about a call, never for a second one. */
  readonly questionId?: string
  readonly decision: 'approve' | 'reject' | 'cancel' | 'supersede'
  /** The hash of the input that the person saw. */
  readonly inputHash: string
  readonly by: string | null
  /** The channel: `ask`, `native`, `routes`. */
  readonly via: string
  /** What the person says to the model. */
  readonly message?: string
  /** With `approve` only. The host has validated and decided it again. */
  readonly editedInput?: { readonly input: string; readonly inputHash: string; readonly effect: Effect }
  /** By the clock of the store; 15 minutes from the answer when absent. */
  readonly untilMs?: number
}

/** What came of a run. The envelope is handed back byte for byte to every duplicate. */
export type Settlement =
  | { readonly type: 'succeeded'; readonly envelope: string }
  | { readonly type: 'failed'; readonly envelope: string }
  | { readonly type: 'unknown'; readonly message: string }

/** What is to be done about an unknown outcome. */
export type Resolution =
  | { readonly type: 'happened' }
  | { readonly type: 'did-not-happen' }
  | { readonly type: 'retry'; readonly question: Asked }
  | { readonly type: 'drop' }

/** Something that happened to a call. */
export type LedgerEvent =
  | (CallParts & { readonly type: 'propose'; readonly how: How })
  | (Answer & { readonly type: 'decide' })
  | {
      readonly type: 'claim'
      readonly runner: string
      readonly nonce: string
      readonly inputHash: string
      readonly toolHash: string
      readonly leaseUntilMs: number | null
    }
  | { readonly type: 'renew'; readonly fence: number; readonly leaseUntilMs: number }
  | { readonly type: 'settle'; readonly fence: number; readonly outcome: Settlement }
  | { readonly type: 'deny'; readonly message: string }
  | { readonly type: 'resolve'; readonly how: Resolution; readonly by: string; readonly why: string | null }
  | { readonly type: 'lapse' }

/** An event that needs the time of the store. */
export type EventAt = (nowMs: number) => LedgerEvent

/** Where a call stands. */
export type CallState =
  | 'awaiting_approval'
  | 'approved'
  | 'rejected'
  | 'expired'
  | 'cancelled'
  | 'denied'
  | 'suppressed'
  | 'running'
  | 'succeeded'
  | 'failed'
  | 'unknown'
  | 'resolved'
  | 'abandoned'

/** Who allowed a call. */
export type Approver =
  | { readonly kind: 'person'; readonly by: string | null; readonly via: string }
  | { readonly kind: 'rule'; readonly rule: string }
  | { readonly kind: 'grant'; readonly grant: string }

/** What the caller of the ledger is told. */
export type Outcome =
  | { readonly type: 'absent' }
  | { readonly type: 'awaiting-approval'; readonly question: Asked; readonly inputHash: string }
  | {
      readonly type: 'approved'
      readonly from: Approver
      /** The input that may run; the text stands beside it when a person changed it. */
      readonly inputHash: string
      readonly editedInput: string | null
    }
  | {
      readonly type: 'claimed'
      readonly fence: number
      readonly attempt: number
      readonly inputHash: string
      readonly editedInput: string | null
      readonly leaseUntilMs: number | null
    }
  | { readonly type: 'renewed' }
  | {
      readonly type: 'decided'
      readonly decision: Answer['decision']
      readonly state: CallState
      readonly isRepeated: boolean
    }
  | { readonly type: 'settled'; readonly state: CallState; readonly isLate: boolean; readonly isRepeated: boolean }
  | { readonly type: 'resolved'; readonly state: CallState }
  | { readonly type: 'suppressed'; readonly envelope: string }
  | { readonly type: 'replay'; readonly state: 'succeeded' | 'failed'; readonly envelope: string }
  | Refused

/** The call does not run: an envelope's error with a type. */
export interface Refused {
  readonly type: 'refused'
  readonly code: Code
  readonly message: string
  readonly help?: string
  readonly retryable: boolean
}

/** What to write, when something changed. */
export interface Commit {
  readonly record: string
  readonly notAfterMs: number | null
  readonly index: readonly string[]
  readonly stream: string
  readonly event: string
  readonly retention: Retention | null
}

/** What an event led to. */
export interface Step {
  readonly outcome: Outcome
  readonly commit: Commit | null
}

/** The core's transition: the record's text or nothing, and an event with `nowMs` as JSON. */
export type Transition = (record: string | null, event: string) => Step
