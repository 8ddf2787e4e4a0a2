// Runs benchmarks and prints one JSON line for each: `name`, `ours`, `peer`, `ratio`, and what they
// mean. Each runs in a process of its own, so that none meets what another left in the heap.
//
//   node bench/run.mjs [--only NAME] [--write] [--list]
//
// `--only decide-1000` also takes what starts with `decide-1000-`; it may stand more than once.
// `--write` appends a table of the run to `bench/results.md`, the missed targets as well. A missed
// target is a result and no failure; a benchmark that cannot run is one.
import { execFile } from 'node:child_process'
import { appendFileSync, existsSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const FILES = {
  'plain-call-overhead': 'plain-call',
  'decide-10-worst': 'decide',
  'decide-10-typical': 'decide',
  'decide-100-worst': 'decide',
  'decide-100-typical': 'decide',
  'decide-100-leading-star': 'decide',
  'decide-1000-worst': 'decide',
  'decide-1000-typical': 'decide',
  'decide-1000-leading-star': 'decide',
  'decide-10000-worst': 'decide',
  'decide-10000-few': 'decide',
  'decide-cedar-1000': 'decide-cedar',
  'visibility-1000-worst': 'visibility',
  'visibility-1000-typical': 'visibility',
  'table-1000': 'table',
  'table-1000-one-changed': 'table',
  'cold-20': 'cold',
  'cold-1000': 'cold',
  'validate-100-bytes': 'validate',
  'validate-string-length': 'validate',
}
const RESULTS = fileURLToPath(new URL('results.md', import.meta.url))
/** Longer than any benchmark takes on a busy machine. */
const TIMEOUT_MS = 180_000

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    write: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    // How this file starts itself for one benchmark.
    alone: { type: 'string' },
  },
})

if (values.alone !== undefined) await runHere(values.alone)
else if (values.list) console.log(Object.keys(FILES).join('\n'))
else await runAll(chosen(values.only))

async function runHere(name) {
  const { benchmarks } = await import(`./benchmarks/${FILES[name]}.mjs`)
  const load = loadavg()[0]
  const { ours, peer, ratio, ...beside } = await benchmarks[name]()
  console.log(JSON.stringify({ name, ours, peer, ratio, ...beside, load, node: process.version }, rounded))
}

async function runAll(names) {
  const results = []
  for (const name of names) {
    // eslint-disable-next-line no-await-in-loop -- two at once would measure each other
    const { line, reason } = await runAlone(name)
    if (line === undefined) {
      console.error(`${name} did not run: ${reason}`)
      process.exitCode = 1
    } else {
      console.log(line)
      results.push(JSON.parse(line))
    }
  }
  if (values.write && results.length > 0) writeResults(results)
}

function chosen(only) {
  const all = Object.keys(FILES)
  if (only.length === 0) return all
  const names = all.filter((name) => only.some((wanted) => name === wanted || name.startsWith(`${wanted}-`)))
  if (names.length === 0) {
    console.error(`no benchmark is called ${only.map((name) => `\`${name}\``).join(' or ')}; there are:\n${all.join('\n')}`)
    process.exitCode = 1
  }
  return names
}

function runAlone(name) {
  const args = ['--expose-gc', fileURLToPath(import.meta.url), '--alone', name]
  return new Promise((resolve) => {
    execFile(process.execPath, args, { timeout: TIMEOUT_MS, maxBuffer: 2 ** 24 }, (error, stdout, stderr) => {
      const line = stdout.split('\n').find((text) => text.startsWith('{"name"'))
      if (error === null && line !== undefined) resolve({ line })
      else resolve({ reason: error?.killed ? `not done after ${TIMEOUT_MS / 1000} s` : stderr.trim() || 'it printed nothing' })
    })
  })
}

/** Four digits say all that a measurement knows. */
function rounded(_, value) {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value
}

function writeResults(results) {
  const loads = results.map(({ load }) => load)
  const machine = `${cpus().length} x ${cpus()[0]?.model ?? 'unknown CPU'}, ${process.platform} ${process.arch}`
  const head = existsSync(RESULTS) ? '' : '# Results of `npm run bench`\n'
  const rows = results.map(({ name, ours, peer, ratio, unit, target, met, peerIs }) => {
    const verdict = target === undefined ? 'no target' : `${met ? 'met' : '**missed**'}: ${target}`
    return `| ${name} | ${ours} | ${peer} | ${ratio} | ${unit} | ${verdict} | ${peerIs} |`
  })
  const beside = results.map((result) => `- ${result.name}: ${besideOf(result)}`)
  appendFileSync(
    RESULTS,
    `${head}\n## ${new Date().toISOString().slice(0, 16)}Z\n\n` +
      `Node ${process.version}, ${machine}, load ${Math.min(...loads).toFixed(1)} to ${Math.max(...loads).toFixed(1)}.\n\n` +
      `| name | ours | peer | ratio | unit | target | peer is |\n| --- | --- | --- | --- | --- | --- | --- |\n${rows.join('\n')}\n\n` +
      `Beside them, and the inputs:\n\n${beside.join('\n')}\n`,
  )
}

/** Every other number of a result, then its inputs. */
function besideOf({ inputs, ...result }) {
  const shown = new Set(['name', 'ours', 'peer', 'ratio', 'unit', 'target', 'met', 'peerIs', 'node'])
  const fields = Object.entries(result).filter(([key]) => !shown.has(key))
  return [...fields.map(([key, value]) => `${key} ${typeof value === 'object' ? JSON.stringify(value) : value}`), inputs].join('; ')
}
