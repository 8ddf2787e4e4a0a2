// Questions as the host asks them: with a span of time. It stands apart because the end of a question
// is a point in the time of the store, which the host does not know before the record is read.

import type { Asked, How, Resolution } from './ledger-step.ts'

/** What a person is asked, and how long it is worth an answer. */
export interface Question extends Omit<Asked, 'expiresAtMs'> {
  readonly expiresInMs: number
}

/** The verdict of the gate on a proposed call. */
export type Verdict =
  | Exclude<How, { type: 'needs-approval' }>
  | { readonly type: 'needs-approval'; readonly question: Question }

/** What a person makes of an unknown outcome. */
export type Finding =
  | Exclude<Resolution, { type: 'retry' }>
  | { readonly type: 'retry'; readonly question: Question }

/** The verdict at the time of the store. */
export function howAt(verdict: Verdict, nowMs: number): How {
  return verdict.type === 'needs-approval'
    ? { type: verdict.type, question: askedAt(verdict.question, nowMs) }
    : verdict
}

/** The finding at the time of the store. */
export function findingAt(finding: Finding, nowMs: number): Resolution {
  return finding.type === 'retry'
    ? { type: finding.type, question: askedAt(finding.question, nowMs) }
    : finding
}

function askedAt({ id, reason, rule, expiresInMs }: Question, nowMs: number): Asked {
  return { id, reason, rule, expiresAtMs: nowMs + expiresInMs }
}
