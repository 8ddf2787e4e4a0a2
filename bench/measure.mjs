// Measures contestants against each other in one process: after a warm-up they take turns, round by
// round, so that a busy moment of the machine meets all of them; what counts is the median round.
//
// Short operations are measured in CPU time of the process, which on a quiet machine is the wall time
// and on a busy one does not charge a contestant for what other processes do in between.

const ROUNDS = 15
const ROUND_MS = 12
const WARM_UP_MS = 120

/**
 * Microseconds per operation, by contestant.
 *
 * @param {Record<string, () => unknown>} contestants each does one operation
 * @returns {Record<string, number>}
 */
export function perOperation(contestants, { rounds = ROUNDS, roundMs = ROUND_MS, warmUpMs = WARM_UP_MS } = {}) {
  const entries = Object.entries(contestants)
  const counts = entries.map(([, operation]) => calibrate(operation, roundMs, warmUpMs))
  const times = entries.map(() => [])
  for (let round = 0; round < rounds; round += 1) {
    entries.forEach(([, operation], at) => times[at].push(timeOf(operation, counts[at])))
  }
  return Object.fromEntries(entries.map(([name], at) => [name, median(times[at])]))
}

/**
 * The same for operations that take milliseconds or wait, one a round: milliseconds by the clock, and
 * under `cpu` milliseconds of CPU time of all threads.
 *
 * @param {Record<string, (round: number) => unknown>} contestants
 */
export async function perRun(contestants, { rounds = 9, warmUps = 2 } = {}) {
  const entries = Object.entries(contestants)
  const times = entries.map(() => [])
  const cpuTimes = entries.map(() => [])
  for (let round = -warmUps; round < rounds; round += 1) {
    for (const [at, [, operation]] of entries.entries()) {
      const cpuBefore = cpuMicros()
      const started = performance.now()
      // eslint-disable-next-line no-await-in-loop -- one after another is what is measured
      sink(await operation(round))
      const ended = performance.now()
      if (round < 0) continue
      times[at].push(ended - started)
      cpuTimes[at].push((cpuMicros() - cpuBefore) / 1000)
    }
  }
  const medians = (all) => Object.fromEntries(entries.map(([name], at) => [name, median(all[at])]))
  return { ...medians(times), cpu: medians(cpuTimes) }
}

export function median(values) {
  return quantile(values, 0.5)
}

export function quantile(values, part) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]
}

/** Takes turns through `list`: an operation that always sees the same input is learnt by heart. */
export function rotating(list, operation) {
  let at = 0
  return () => {
    at = at + 1 < list.length ? at + 1 : 0
    return operation(list[at])
  }
}

/** How many operations fill a round, found while warming up. */
function calibrate(operation, roundMs, warmUpMs) {
  let count = 1
  let spent = 0
  for (;;) {
    const micros = timeOf(operation, count) * count
    spent += micros / 1000
    if (spent >= warmUpMs && micros >= 1000) return Math.max(1, Math.round((count * roundMs * 1000) / micros))
    if (micros < 1000) count *= 2
  }
}

/** Microseconds of CPU time for one operation. */
function timeOf(operation, count) {
  const started = cpuMicros()
  for (let at = 0; at < count; at += 1) sink(operation())
  return (cpuMicros() - started) / count
}

function cpuMicros() {
  const { user, system } = process.cpuUsage()
  return user + system
}

let kept
/** Keeps the engine from dropping what nobody reads. */
function sink(value) {
  kept = value
}
export const lastResult = () => kept
