// The right to run a call, while it is held. It stands apart because it has a life of its own: it
// keeps the lease, notices when it lost it, and brings the result home when the store is away.

import type { EventAt, Outcome, Settlement } from './ledger-step.ts'

/** Whether the result is recorded. If not, it still stands: the tool has run. */
export interface Settled {
  readonly recorded: boolean
  /** What the ledger said: `settled`, or why it did not take the result. */
  readonly outcome: Outcome
}

/** How long a result is offered to a store that is away, where no lease says it. */
const keepTryingMs = 30_000

/** One run of one call. Whoever holds it runs the tool once and settles it once. */
export class Run {
  readonly key: string
  readonly fence: number
  /** Which attempt this is, from 1. */
  readonly attempt: number
  /** The hash of the input that runs. */
  readonly inputHash: string
  /** That input as JSON, when a person changed it. */
  readonly editedInput: string | null
  readonly #leaseMs: number | null
  readonly #apply: (event: EventAt) => Promise<Outcome>
  readonly #lost = new AbortController()
  #renewal: NodeJS.Timeout | undefined
  #heldUntil = 0
  #isSettled = false

  constructor(
    key: string,
    claimed: Extract<Outcome, { type: 'claimed' }>,
    leaseMs: number | null,
    apply: (event: EventAt) => Promise<Outcome>,
  ) {
    this.key = key
    this.fence = claimed.fence
    this.attempt = claimed.attempt
    this.inputHash = claimed.inputHash
    this.editedInput = claimed.editedInput
    this.#leaseMs = leaseMs
    this.#apply = apply
    if (leaseMs !== null) this.#keepLease(leaseMs)
  }

  /** Aborts when the lease is lost: others count this run as gone, so it should stop. */
  get lost(): AbortSignal {
    return this.#lost.signal
  }

  /** Records what came of the run. Never rejects. */
  async settle(settlement: Settlement): Promise<Settled> {
    this.#isSettled = true
    clearInterval(this.#renewal)
    const outcome = await this.#offer(settlement)
    if (isAway(outcome)) this.#keepOffering(settlement, performance.now() + (this.#leaseMs ?? keepTryingMs), 1_000)
    return { recorded: outcome.type === 'settled', outcome }
  }

  #offer(outcome: Settlement): Promise<Outcome> {
    return this.#apply(() => ({ type: 'settle', fence: this.fence, outcome }))
  }

  /** The caller has its result already; nobody waits for this, and it keeps no process alive. */
  #keepOffering(settlement: Settlement, until: number, waitMs: number): void {
    if (performance.now() + waitMs > until) return
    setTimeout(() => void this.#offerAgain(settlement, until, waitMs), waitMs).unref()
  }

  async #offerAgain(settlement: Settlement, until: number, waitMs: number): Promise<void> {
    if (isAway(await this.#offer(settlement))) this.#keepOffering(settlement, until, waitMs * 2)
  }

  #keepLease(leaseMs: number): void {
    this.#heldUntil = performance.now() + leaseMs
    this.#renewal = setInterval(() => void this.#renew(leaseMs), leaseMs / 3)
    this.#renewal.unref()
  }

  async #renew(leaseMs: number): Promise<void> {
    const startedAt = performance.now()
    const outcome = await this.#apply((nowMs) => ({
      type: 'renew',
      fence: this.fence,
      leaseUntilMs: nowMs + leaseMs,
    }))
    if (outcome.type === 'renewed') {
      this.#heldUntil = startedAt + leaseMs
      return
    }
    // A store that is away may come back in time; a settled run has nothing to lose any more.
    if (this.#isSettled || (isAway(outcome) && performance.now() < this.#heldUntil)) return
    clearInterval(this.#renewal)
    this.#lost.abort()
  }
}

function isAway(outcome: Outcome): boolean {
  return outcome.type === 'refused' && outcome.code === 'STORE_UNAVAILABLE'
}
