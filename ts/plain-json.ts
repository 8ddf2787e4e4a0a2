// Copies a value as far as JSON can say it. It stands apart because what is approved, hashed and
// run has to be one and the same: an object that answers differently each time it is read (a
// getter, a proxy, a live reference) would be approved as one thing and run as another.

/** What JSON can say. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [KEY in string]: Json }

/** The copy with its text, or why there is none and where. */
export type PlainJson =
  | { readonly ok: true; readonly value: Json; readonly text: string }
  | { readonly ok: false; readonly reason: string; readonly path: string }

/** As deep as the canonical form goes: 128 levels, the innermost value counted. */
const maxNesting = 127
const maxNodes = 100_000

/**
 * Copies `value`.
 *
 * Own enumerable string keys count, on plain objects and arrays only; members that are `undefined`
 * are dropped as JSON drops them, and minus zero becomes zero. Everything that JSON would change or
 * lose in silence is refused: dates, maps, functions, big integers, holes, half surrogate pairs.
 * No getter runs.
 */
export function toPlainJson(value: unknown): PlainJson {
  const copy = new Copy()
  try {
    const plain = copy.of(value, 0)
    return { ok: true, value: plain, text: JSON.stringify(plain) }
  } catch (thrown) {
    // A proxy may throw anything; what it says is its own business.
    const reason = thrown instanceof NotPlain ? thrown.message : 'it cannot be read'
    return { ok: false, reason, path: copy.path() }
  }
}

class NotPlain extends Error {}

/** One copy in the making: where it stands, and how much it may still hold. */
class Copy {
  readonly #path: string[] = []
  readonly #open = new Set<object>()
  #left = maxNodes

  /** Where it stands, as a JSON pointer. */
  path(): string {
    return this.#path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
  }

  of(value: unknown, depth: number): Json {
    this.#left -= 1
    if (this.#left < 0) throw new NotPlain(`it holds more than ${maxNodes} values`)
    switch (typeof value) {
      case 'boolean':
        return value
      case 'string':
        return checkWellFormed(value)
      case 'number':
        return finite(value)
      case 'object':
        return value === null ? null : this.#container(value, depth + 1)
      default:
        throw new NotPlain(`${typeof value} is not JSON`)
    }
  }

  #container(value: object, depth: number): Json {
    if (this.#open.has(value)) throw new NotPlain('it contains itself')
    if (depth > maxNesting) throw new NotPlain(`it is nested deeper than ${maxNesting} levels`)
    this.#open.add(value)
    const copy = Array.isArray(value) ? this.#array(value, depth) : this.#object(value, depth)
    this.#open.delete(value)
    return copy
  }

  #array(value: readonly unknown[], depth: number): Json {
    if (Object.getPrototypeOf(value) !== Array.prototype) throw new NotPlain('only plain arrays are JSON')
    // Read once: a proxy may answer otherwise the next time.
    const length = value.length
    if (length > this.#left) throw new NotPlain(`it holds more than ${maxNodes} values`)
    const keys = Object.keys(value)
    if (keys.length !== length) throw new NotPlain('an array with holes or named members is not JSON')
    return keys.map((key, index) => {
      if (key !== String(index)) throw new NotPlain('an array with holes or named members is not JSON')
      return this.#member(value, key, (item) => this.of(item, depth))
    })
  }

  #object(value: object, depth: number): Json {
    const prototype: unknown = Object.getPrototypeOf(value)
    if (prototype !== Object.prototype && prototype !== null) throw new NotPlain('only plain objects are JSON')
    const copy: { [KEY in string]: Json } = {}
    for (const key of Object.keys(value)) {
      checkWellFormed(key)
      this.#member(value, key, (member) => {
        if (member === undefined) return
        // Assigning to `__proto__` would change the prototype instead of making a member.
        Object.defineProperty(copy, key, {
          value: this.of(member, depth),
          enumerable: true,
          configurable: true,
          writable: true,
        })
      })
    }
    return copy
  }

  /** Reads one member without running a getter. The path is left standing where it threw. */
  #member<RESULT>(owner: object, key: string, read: (value: unknown) => RESULT): RESULT {
    this.#path.push(key)
    const descriptor = Object.getOwnPropertyDescriptor(owner, key)
    if (descriptor === undefined || !('value' in descriptor)) throw new NotPlain('a getter is not JSON')
    const result = read(descriptor.value)
    this.#path.pop()
    return result
  }
}

function checkWellFormed(text: string): string {
  // With the flag `u` a pair is one character, so only a half matches.
  if (/\p{Surrogate}/u.test(text)) throw new NotPlain('a string holds half of a surrogate pair')
  return text
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw new NotPlain(`${value} is not JSON`)
  return value === 0 ? 0 : value
}
