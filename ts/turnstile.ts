// Lets one through at a time for each key. It stands apart because the same call can come twice at
// once (a model that repeats an id, a browser that posts twice) and the second one has to find what
// the first one left, not run beside it.

/** A queue for each key. */
export class Turnstile {
  readonly #last = new Map<string, Promise<void>>()

  /** Resolves when nobody is inside under `key`; call what it gives to leave. */
  async enter(key: string): Promise<() => void> {
    const before = this.#last.get(key)
    let leave = (): void => {}
    const inside = new Promise<void>((resolve) => {
      leave = resolve
    })
    this.#last.set(key, inside)
    await before
    return () => {
      if (this.#last.get(key) === inside) this.#last.delete(key)
      leave()
    }
  }
}
