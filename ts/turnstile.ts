// Lets one through at a time for each key. It stands apart because the same call can come twice at
// once (a model that repeats an id, a browser that posts twice) and the second one has to find what
// the first one left, not run beside it. It does not wait for ever: who is inside may be a person
// who thinks, a tool that hangs, or this very call, which called itself.

/** A queue for each key. */
export class Turnstile {
  readonly #last = new Map<string, Promise<void>>()

  readonly #waitMs: number

  constructor(waitMs = 10_000) {
    this.#waitMs = waitMs
  }

  /**
   * Resolves when nobody is inside under `key`; call what it gives to leave. Resolves with nothing
   * when that took too long, or `signal` said stop.
   */
  async enter(key: string, signal?: AbortSignal): Promise<(() => void) | undefined> {
    const before = this.#last.get(key)
    let leave = (): void => {}
    const inside = new Promise<void>((resolve) => {
      leave = resolve
    })
    this.#last.set(key, inside)
    const leaveNow = (): void => {
      if (this.#last.get(key) === inside) this.#last.delete(key)
      leave()
    }
    if (before === undefined || (await isOver(before, this.#waitMs, signal))) return leaveNow
    // Whoever waits behind this one waits for the one before it.
    void before.then(leaveNow)
    return undefined
  }
}

/** Whether `before` came to its end in time. */
async function isOver(before: Promise<void>, waitMs: number, signal: AbortSignal | undefined): Promise<boolean> {
  if (signal?.aborted === true) return false
  return new Promise((resolve) => {
    const end = (isInTime: boolean) => (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', giveUp)
      resolve(isInTime)
    }
    const giveUp = end(false)
    const timer = setTimeout(giveUp, waitMs)
    signal?.addEventListener('abort', giveUp)
    void before.then(end(true))
  })
}
