// Drives the record of a call through a store. It stands apart because this is the only loop
// between the two: the core says what happens next and knows no store, the store keeps texts and
// knows no calls, and everything that can go wrong between a read and a write is met here.
//
// 1. A commit that somebody else outran is read again and decided again, never written over.
// 2. A commit whose acknowledgement was lost is read again too: a claim finds its own nonce in the
//    record and goes on, or does not and starts over. Nothing runs on a guess.
// 3. A store that does not answer before the claim means that the call does not run.
// 4. A store that does not answer after the run costs the record, not the result.

import { Bells } from './bells.ts'
import { findingAt, howAt, type Finding, type Verdict } from './ledger-question.ts'
import { Run } from './ledger-run.ts'
import type {
  Answer,
  CallParts,
  EventAt,
  Outcome,
  Refused,
  Step,
  Transition,
} from './ledger-step.ts'
import type { Store, StoredRecord } from './store.ts'

/** The right to run, or why there is none. */
export type Claim = { readonly type: 'claimed'; readonly run: Run } | Exclude<Outcome, { type: 'claimed' }>

/** What the ledger is made of. */
export interface LedgerOptions {
  readonly store: Store
  readonly transition: Transition
  /** How long a duplicate waits for the run that it met; 10 seconds when absent. */
  readonly waitMs?: number
}

/** What a wait may be told. */
export interface Waiting {
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number
}

/** Opens the ledger over a store. */
export function openLedger(options: LedgerOptions): Ledger {
  return new Ledger(options)
}

const maxTries = 32
const maxFaults = 3
const faultPauseMs = 25
/** Other processes ring no bell here, so a wait looks again by itself, less and less often. */
const firstPollMs = 250
const lastPollMs = 2_000

/** The records of one store. */
export class Ledger {
  readonly #store: Store
  readonly #transition: Transition
  readonly #waitMs: number
  readonly #bells = new Bells()
  #runner: string | undefined

  constructor({ store, transition, waitMs = 10_000 }: LedgerOptions) {
    this.#store = store
    this.#transition = transition
    this.#waitMs = waitMs
  }

  /** Records a call with its verdict. A duplicate of a running call waits for what comes of it. */
  async propose(call: CallParts, verdict: Verdict, waiting: Waiting = {}): Promise<Outcome> {
    const event: EventAt = (nowMs) => ({ ...call, type: 'propose', how: howAt(verdict, nowMs) })
    return this.#unlessRunning(call.key, event, waiting)
  }

  /** Records an answer to a question. */
  decide(key: string, answer: Answer): Promise<Outcome> {
    return this.#apply(key, () => ({ ...answer, type: 'decide' }))
  }

  /**
   * Claims the run: whoever gets `claimed` runs the call, and nobody else does.
   *
   * `inputHash` and `toolHash` are those of what is about to run; the claim holds only if they are
   * what was approved.
   */
  async claim(
    key: string,
    what: { readonly inputHash: string; readonly toolHash: string },
    waiting: Waiting = {},
  ): Promise<Claim> {
    const { leaseMs } = this.#store
    const nonce = crypto.randomUUID()
    const runner = (this.#runner ??= crypto.randomUUID())
    const event: EventAt = (nowMs) => ({
      type: 'claim',
      runner,
      nonce,
      inputHash: what.inputHash,
      toolHash: what.toolHash,
      leaseUntilMs: leaseMs === null ? null : nowMs + leaseMs,
    })
    const outcome = await this.#unlessRunning(key, event, waiting)
    if (outcome.type !== 'claimed') return outcome
    return { type: 'claimed', run: new Run(key, outcome, leaseMs, (event) => this.#apply(key, event)) }
  }

  /** Forbids a call that has not run. */
  deny(key: string, message: string): Promise<Outcome> {
    return this.#apply(key, () => ({ type: 'deny', message }))
  }

  /** Records what a person or a look-up found out about an unknown outcome. */
  resolve(key: string, finding: Finding, by: string, why: string | null = null): Promise<Outcome> {
    return this.#apply(key, (nowMs) => ({ type: 'resolve', how: findingAt(finding, nowMs), by, why }))
  }

  /** Where a call stands now. */
  read(key: string): Promise<Outcome> {
    return this.#apply(key, () => ({ type: 'lapse' }))
  }

  /** Waits while a call is asked about or runs; where it stands then, or when the wait ended. */
  waitFor(key: string, waiting: Waiting = {}): Promise<Outcome> {
    return this.#wait(key, (outcome) => outcome.type !== 'awaiting-approval' && !isRunning(outcome), waiting)
  }

  /** One step of one record: read, decide, write, and all again while others write first. */
  async #apply(key: string, event: EventAt): Promise<Outcome> {
    let faults = 0
    for (let tries = 0; tries < maxTries && faults < maxFaults; tries += 1) {
      const stored = await this.#ask(() => this.#store.read(key))
      if (stored === undefined) {
        faults += 1
        await pause(faults * faultPauseMs)
        continue
      }
      const step = this.#step(stored, event)
      if (step.commit === null) return step.outcome
      const write = { ...step.commit, key, version: stored.version }
      const written = await this.#ask(() => this.#store.commit(write))
      // Whatever became of a commit, a look may find something new.
      this.#bells.ring(key)
      if (written === 'committed') return step.outcome
      if (written === undefined) {
        faults += 1
        await pause(faults * faultPauseMs)
      }
    }
    return storeUnavailable()
  }

  /** A fault while deciding is a refusal. */
  #step(stored: StoredRecord, event: EventAt): Step {
    try {
      return this.#transition(stored.record, JSON.stringify({ ...event(stored.nowMs), nowMs: stored.nowMs }))
    } catch {
      return { outcome: internal(), commit: null }
    }
  }

  /** What the store answers; `undefined` when nobody knows whether it did anything. */
  async #ask<ANSWER>(question: () => Promise<ANSWER>): Promise<ANSWER | undefined> {
    try {
      return await question()
    } catch {
      // Counted by the caller, who looks again; the last fault becomes STORE_UNAVAILABLE.
      return undefined
    }
  }

  async #unlessRunning(key: string, event: EventAt, waiting: Waiting): Promise<Outcome> {
    const outcome = await this.#apply(key, event)
    if (!isRunning(outcome)) return outcome
    const { signal, timeoutMs = this.#waitMs } = waiting
    const after = await this.#wait(key, (found) => !isRunning(found), { signal, timeoutMs })
    return isRunning(after) ? after : this.#apply(key, event)
  }

  async #wait(key: string, isOver: (outcome: Outcome) => boolean, waiting: Waiting): Promise<Outcome> {
    const { signal, timeoutMs = Number.POSITIVE_INFINITY } = waiting
    const startedAt = performance.now()
    for (let pollMs = firstPollMs; ; pollMs = Math.min(pollMs * 2, lastPollMs)) {
      const bell = this.#bells.hang(key)
      try {
        const outcome = await this.read(key)
        const leftMs = timeoutMs - (performance.now() - startedAt)
        if (isOver(outcome) || leftMs <= 0 || signal?.aborted === true) return outcome
        await bell.wait(Math.min(pollMs, leftMs), signal)
      } finally {
        bell.takeDown()
      }
    }
  }
}

function isRunning(outcome: Outcome): boolean {
  return outcome.type === 'refused' && outcome.code === 'CALL_IN_PROGRESS'
}

function storeUnavailable(): Refused {
  return {
    type: 'refused',
    code: 'STORE_UNAVAILABLE',
    message: 'The call could not be recorded, so it did not run.',
    retryable: true,
  }
}

function internal(): Refused {
  return {
    type: 'refused',
    code: 'INTERNAL',
    message: 'The call could not be decided, so it did not run.',
    retryable: false,
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
}
