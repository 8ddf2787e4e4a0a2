// Runs named steps one after another, keeps their counts, and closes with the one line that CI reads.
import { seconds } from './run.mjs'

/**
 * @typedef {{ passed: number, failed: number, skipped: string[] }} Counts
 * `skipped` has the reason of every skip.
 * @typedef {{ name: string, needs?: string[], work: () => Promise<Counts> }} Step
 */

export const pass = { passed: 1, failed: 0, skipped: [] }
export const fail = { passed: 0, failed: 1, skipped: [] }
export const passIf = (isGood) => (isGood ? pass : fail)
export const skip = (reason) => ({ passed: 0, failed: 0, skipped: [reason] })

/**
 * A step that throws counts as failed; a step whose need failed is skipped, which keeps one broken
 * build from being told ten times. Prints a line a step, the reasons of all skips, and the sum.
 *
 * @param {Step[]} steps
 * @returns {Promise<boolean>} whether nothing failed and something passed
 */
export async function runSteps(steps) {
  const done = new Map()
  for (const { name, needs = [], work } of steps) {
    const started = Date.now()
    console.log(`\n── ${name}`)
    const broken = needs.find((need) => done.has(need) && done.get(need).failed > 0)
    const counts = broken === undefined ? await counted(work) : skip(`\`${broken}\` failed`)
    done.set(name, { ...counts, time: seconds(started) })
    console.log(`── ${name}: ${verdict(counts)} in ${seconds(started)}`)
  }

  console.log('')
  for (const [name, counts] of done) console.log(`${verdict(counts).padEnd(34)} ${counts.time.padStart(8)}  ${name}`)
  for (const [name, { skipped }] of done) for (const reason of skipped) console.log(`skipped: ${name}: ${reason}`)
  const all = [...done.values()]
  const sum = (of) => all.reduce((total, counts) => total + of(counts), 0)
  const passed = sum((counts) => counts.passed)
  const failed = sum((counts) => counts.failed)
  console.log(`${passed} passed, ${failed} failed, ${sum((counts) => counts.skipped.length)} skipped`)
  return failed === 0 && passed > 0
}

async function counted(work) {
  try {
    return await work()
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return fail
  }
}

function verdict({ passed, failed, skipped }) {
  const parts = [`${passed} passed`]
  if (failed > 0) parts.push(`${failed} FAILED`)
  if (skipped.length > 0) parts.push(`${skipped.length} skipped`)
  return parts.join(', ')
}
