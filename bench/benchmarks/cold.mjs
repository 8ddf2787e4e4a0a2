// Cold start in fresh processes: load, compile, first validation of each tool. Node's own start is not
// counted. Contestants take turns; the first turn, which fills the page cache, is not counted either.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { median } from '../measure.mjs'

const SCRIPT = fileURLToPath(new URL('../cold-start.mjs', import.meta.url))
const VARIANTS = ['addon', 'package', 'ajv', 'zod']
const start = promisify(execFile)

function coldBenchmark(count, { addon, package: whole, memory }) {
  return async () => {
    const runs = Object.fromEntries(VARIANTS.map((variant) => [variant, []]))
    for (let round = -1; round < 7; round += 1) {
      for (const variant of VARIANTS) {
        // eslint-disable-next-line no-await-in-loop -- two at once would measure each other
        const { stdout } = await start(process.execPath, [SCRIPT, variant, String(count)])
        if (round >= 0) runs[variant].push(JSON.parse(stdout))
      }
    }
    const of = (variant, field) => median(runs[variant].map((run) => run[field]))
    const all = (field) => Object.fromEntries(VARIANTS.map((variant) => [variant, of(variant, field)]))
    const ms = all('ms')
    const rssMb = all('rssMb')
    const ratios = {
      addonToAjv: ms.ajv / ms.addon,
      addonToZod: ms.zod / ms.addon,
      packageToAjv: ms.ajv / ms.package,
      packageToZod: ms.zod / ms.package,
    }
    const leastRss = Math.min(rssMb.ajv, rssMb.zod)
    return {
      ours: ms.package,
      peer: Math.min(ms.ajv, ms.zod),
      ratio: Math.min(ratios.packageToAjv, ratios.packageToZod),
      unit: 'ms',
      ms,
      ratios,
      rssMb,
      loadMs: all('loadMs'),
      compileMs: all('compileMs'),
      peerIs: 'the faster of ajv and zod 4 `fromJSONSchema`; `ours` is the whole package',
      inputs: `${count} generated tools with JSON Schemas, all different, one input each`,
      target:
        `addon ${addon} times, package ${whole} times as fast as either` +
        (memory === undefined ? '' : `, with less than ${memory} of the memory of either`),
      met:
        Math.min(ratios.addonToAjv, ratios.addonToZod) >= addon &&
        Math.min(ratios.packageToAjv, ratios.packageToZod) >= whole &&
        (memory === undefined || Math.max(rssMb.addon, rssMb.package) < memory * leastRss),
    }
  }
}

export const benchmarks = {
  'cold-20': coldBenchmark(20, { addon: 15, package: 8 }),
  'cold-1000': coldBenchmark(1000, { addon: 9, package: 9, memory: 0.5 }),
}
