// A seeded generator, so that every run and every machine measures the same inputs.

/** Numbers in [0, 1) that depend on the seed alone (mulberry32). */
export function randomFrom(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Helpers that draw from one generator. */
export function drawFrom(seed) {
  const random = randomFrom(seed)
  const below = (end) => Math.floor(random() * end)
  return { below, pick: (list) => list[below(list.length)], chance: (part) => random() < part }
}
