// What the gate adds to a plain call (allowed by a rule, reading, small output), without the AI SDK.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { median, quantile } from '../measure.mjs'
import { bareTools, LONG_HISTORY, plainInput, plainOptions, plainTable } from '../plain-table.mjs'

const COUNTER = fileURLToPath(new URL('../count-native-calls.mjs', import.meta.url))
const ROUNDS = 40
const CALLS = 300
const TARGET_US = 5

async function plainCallOverhead() {
  const bare = bareTools()
  const { tools } = await plainTable()
  const samples = await sample({
    bare: (at) => bare.search.execute(plainInput(at), plainOptions(at)),
    gated: (at) => tools.search.execute(plainInput(at), plainOptions(at)),
    zod: (at) => tools.search_zod.execute(plainInput(at), plainOptions(at)),
    longHistory: (at) => tools.search.execute(plainInput(at), plainOptions(at, LONG_HISTORY)),
  })
  const p50 = Object.fromEntries(Object.entries(samples).map(([name, times]) => [name, median(times)]))
  const calls = JSON.parse((await promisify(execFile)(process.execPath, [COUNTER])).stdout)
  const added = p50.gated - p50.bare
  return {
    ours: p50.gated,
    peer: p50.bare,
    ratio: p50.gated / p50.bare,
    unit: 'us',
    addedUs: added,
    addedP99Us: quantile(samples.gated, 0.99) - quantile(samples.bare, 0.99),
    addedWithZodUs: p50.zod - p50.bare,
    addedWithLongHistoryUs: p50.longHistory - p50.bare,
    nativeCalls: calls,
    peerIs: 'the same `execute`, not wrapped; ratio is gated to bare, an empty tool, so only `addedUs` means something',
    inputs: 'a new object of three fields a call, one resource, 4 rules, output of 380 characters',
    target: `addedUs <= ${TARGET_US}, at most 3 native calls, none after execute`,
    met:
      added <= TARGET_US &&
      Math.max(calls.execute.length, calls.generateText.length) <= 3 &&
      calls.afterExecute.length === 0,
  }
}

/** Microseconds of each call; contestants take turns in runs of CALLS. */
async function sample(contestants) {
  const samples = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]))
  for (let round = -5; round < ROUNDS; round += 1) {
    for (const [name, call] of Object.entries(contestants)) {
      for (let at = 0; at < CALLS; at += 1) {
        const started = performance.now()
        // eslint-disable-next-line no-await-in-loop -- one call is what is measured
        await call(at)
        if (round >= 0) samples[name].push((performance.now() - started) * 1000)
      }
    }
  }
  return samples
}

export const benchmarks = { 'plain-call-overhead': plainCallOverhead }
