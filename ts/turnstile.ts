// Lets one through at a time for each key. It stands apart because the same call can come twice at
// once (a model that repeats an id, a browser that posts twice) and the second one has to find what
// the first one left, not run beside it.

import { firstOf } from './bells.ts'

/** How the wait at the turnstile ended. */
export type Entry =
  | { readonly type: 'inside'; readonly leave: () => void }
  /** Somebody is inside still: a tool that calls itself, a stream that nobody reads any more. */
  | { readonly type: 'taken' }
  | { readonly type: 'aborted' }

const taken: Entry = { type: 'taken' }
const aborted: Entry = { type: 'aborted' }

/** A queue for each key. */
export class Turnstile {
  readonly #last = new Map<string, Promise<void>>()
  readonly #waitMs: number

  /** `waitMs` is how long one waits for those before; as long as at the ledger when absent. */
  constructor({ waitMs = 10_000 }: { readonly waitMs?: number } = {}) {
    this.#waitMs = waitMs
  }

  /** Waits until nobody is inside under `key`, but neither for ever nor after `signal` aborted. */
  async enter(key: string, signal?: AbortSignal): Promise<Entry> {
    const before = this.#last.get(key)
    const { promise: inside, resolve } = deferred()
    this.#last.set(key, inside)
    const leave = (): void => {
      if (this.#last.get(key) === inside) this.#last.delete(key)
      resolve()
    }
    const entry: Entry = { type: 'inside', leave }
    if (before === undefined) return entry
    let isFree = false
    const free = before.then(() => (isFree = true))
    await firstOf(free, this.#waitMs, signal)
    if (isFree) return entry
    // Whoever came later waits for this place, which is free when the one before it is.
    void free.then(leave)
    return signal?.aborted === true ? aborted : taken
  }
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {}
  const promise = new Promise<void>((given) => {
    resolve = given
  })
  return { promise, resolve }
}
