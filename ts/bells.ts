// Wakes who waits for a call. It stands apart because a wait must not miss what happens between its
// last look and its falling asleep: the bell is hung up before the look.

/** A bell that rings once. */
export interface Bell {
  /** Resolves when it rings, when the time is up, or when the signal aborts. */
  wait(ms: number, signal: AbortSignal | undefined): Promise<void>
  takeDown(): void
}

/** One bell for everybody who waits, hung under the key that they wait for. */
export class Bells {
  readonly #hung = new Map<string, Set<() => void>>()

  /** Rings every bell that hangs under `key` now. */
  ring(key: string): void {
    for (const ring of this.#hung.get(key) ?? []) ring()
  }

  /** Hangs up a bell. It has to be taken down again. */
  hang(key: string): Bell {
    let ring = (): void => {}
    const rung = new Promise<void>((resolve) => {
      ring = resolve
    })
    const hung = this.#hung.get(key) ?? new Set()
    this.#hung.set(key, hung.add(ring))
    return {
      wait: (ms, signal) => firstOf(rung, ms, signal),
      takeDown: () => {
        hung.delete(ring)
        if (hung.size === 0 && this.#hung.get(key) === hung) this.#hung.delete(key)
      },
    }
  }
}

/** Waits for `rung`, but neither longer than `ms` nor after `signal` aborted. */
export async function firstOf(rung: Promise<unknown>, ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted === true) return
  let stop = (): void => {}
  const stopped = new Promise<void>((resolve) => {
    stop = resolve
  })
  const timer = setTimeout(stop, ms)
  signal?.addEventListener('abort', stop, { once: true })
  try {
    await Promise.race([rung, stopped])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}
