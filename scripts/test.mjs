// `npm test`: everything that has to hold, in order, closing with `N passed, N failed, N skipped`.
//
//   node scripts/test.mjs [--fast] [--only STEP,STEP]
//
// `--fast` is the inner loop: it takes an addon that builds in seconds and leaves out what needs a
// release build, the other SDK, or an installation.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { cargoComponent, cargoTest, vitest } from './lib/runners.mjs'
import { node22 } from './lib/node22.mjs'
import { pass, passIf, runSteps, skip } from './lib/report.mjs'
import { fromRoot } from './lib/root.mjs'
import { run, seconds } from './lib/run.mjs'
import { packSmoke } from './pack-smoke.mjs'
import { buildDist, buildNative, install } from './setup.mjs'
import { isCurrent } from './types.mjs'

const isFast = process.argv.includes('--fast')
const onlyAt = process.argv.indexOf('--only')
const only = onlyAt === -1 ? undefined : (process.argv[onlyAt + 1] ?? '').split(',')

const steps = [
  { name: 'packages', work: () => install().then(() => pass) },
  { name: 'fmt', work: () => cargoComponent('rustfmt', ['fmt', '--all', '--check']) },
  {
    name: 'clippy',
    work: () => cargoComponent('clippy', ['clippy', '--workspace', '--all-targets', '--locked', '--', '-D', 'warnings']),
  },
  { name: 'cargo test', work: () => cargoTest(['--workspace', '--locked']) },
  { name: 'native', work: () => buildNative({ profile: isFast ? 'dev' : 'release' }).then(() => pass) },
  { name: 'dist', needs: ['packages'], work: () => buildDist().then(() => pass) },
  { name: 'tsc', needs: ['packages', 'native'], work: () => tsc('tsconfig.json') },
  { name: 'tsc with AI SDK 7', isSlow: true, needs: ['packages', 'native'], work: () => tsc('tsconfig.sdk7.json') },
  { name: 'index.d.ts', needs: ['packages', 'dist'], work: async () => passIf(await isCurrent()) },
  { name: 'oxlint', needs: ['packages', 'native'], work: oxlint },
  { name: 'vitest with AI SDK 6', needs: ['packages', 'native', 'dist'], work: () => vitest(process.execPath, '6') },
  { name: 'vitest with AI SDK 7', isSlow: true, needs: ['packages', 'native', 'dist'], work: vitest7 },
  { name: 'examples', isSlow: true, needs: ['packages', 'native', 'dist'], work: examples },
  { name: 'cases copy', work: casesCopy },
  { name: 'pack smoke', isSlow: true, needs: ['packages', 'native', 'dist'], work: packSmoke },
]

/** Remembers what it checked, since most runs change a few files. */
async function tsc(project) {
  const memory = fromRoot(`node_modules/.cache/toolgate/${project}.tsbuildinfo`)
  const args = ['-p', project, '--incremental', '--tsBuildInfoFile', memory]
  const { code } = await run(process.execPath, [fromRoot('node_modules/typescript/bin/tsc'), ...args])
  return passIf(code === 0)
}

async function oxlint() {
  const { code } = await run(process.execPath, [fromRoot('node_modules/oxlint/bin/oxlint'), '--type-aware', '--deny-warnings'])
  return passIf(code === 0)
}

async function vitest7() {
  const found = await node22()
  return 'node' in found ? vitest(found.node, '7') : skip(found.reason)
}

/** Every example asserts what it shows and exits non-zero if that fails. Nobody is at its terminal. */
async function examples() {
  const counts = { passed: 0, failed: 0, skipped: [] }
  for (const name of readdirSync(fromRoot('examples')).sort()) {
    const entry = ['index.ts', 'main.ts'].map((file) => `examples/${name}/${file}`).find((file) => existsSync(fromRoot(file)))
    if (entry === undefined) continue
    const started = Date.now()
    const { code } = await run(process.execPath, ['--import', 'tsx', fromRoot(entry)], {
      isQuiet: true,
      isAlone: true,
      env: { ...process.env, NO_COLOR: '1', OPENAI_BASE_URL: '', OPENAI_API_KEY: '', MODEL: '' },
    })
    counts[code === 0 ? 'passed' : 'failed'] += 1
    console.log(`${code === 0 ? 'ok' : 'FAILED'} ${entry} in ${seconds(started)}`)
  }
  return counts
}

/** Where the original of `fixtures/cases` stands beside the repository, the copy has to equal it. */
async function casesCopy() {
  const original = fromRoot('../shared/cases')
  if (!existsSync(original)) return skip('the original is not beside this checkout')
  const digest = (file) => createHash('sha256').update(readFileSync(file)).digest('hex')
  const different = readdirSync(original).filter((name) => {
    const copy = fromRoot(`fixtures/cases/${name}`)
    return !existsSync(copy) || digest(copy) !== digest(`${original}/${name}`)
  })
  for (const name of different) console.error(`fixtures/cases/${name} is not what ../shared/cases has`)
  return passIf(different.length === 0)
}

const unknown = (only ?? []).filter((name) => !steps.some((step) => step.name === name))
if (unknown.length > 0) {
  console.error(`no step \`${unknown.join('`, `')}\`; there are: ${steps.map(({ name }) => name).join(', ')}`)
  process.exit(2)
}
const isChosen = ({ name, isSlow }) => (only === undefined ? !(isFast && isSlow) : only.includes(name))
process.exitCode = (await runSteps(steps.filter(isChosen))) ? 0 : 1
