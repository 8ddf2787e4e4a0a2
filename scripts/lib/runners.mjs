// The test runners, each returning its counts.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fail, pass, skip } from './report.mjs'
import { fromRoot } from './root.mjs'
import { run } from './run.mjs'

/** A cargo subcommand that comes as a rustup component: a machine without it skips, and says so. */
export async function cargoComponent(component, args) {
  const probe = spawnSync('cargo', [args[0], '--version'])
  if (probe.status !== 0) return skip(`${component} is not installed (\`rustup component add ${component}\`)`)
  const { code } = await run('cargo', args, { label: `cargo ${args[0]}` })
  return code === 0 ? pass : fail
}

/** `cargo test`, counted over all its binaries and doctests. */
export async function cargoTest(args) {
  const { code, output } = await run('cargo', ['test', ...args], { keep: 'both', label: 'cargo test' })
  return cargoCounts(output, code)
}

/** The counts in what `cargo test` printed; a build that failed has none and counts as one failure. */
export function cargoCounts(output, code) {
  let passed = 0
  let failed = 0
  const skipped = []
  for (const line of output.split('\n')) {
    const result = /^test result: \w+\. (\d+) passed; (\d+) failed;/.exec(line)
    if (result !== null) {
      passed += Number(result[1])
      failed += Number(result[2])
    }
    const ignored = /^test (.+) \.\.\. ignored(?:, (.+))?$/.exec(line)
    if (ignored !== null) skipped.push(`${ignored[1]}: ${ignored[2] ?? 'no reason given'}`)
  }
  return { passed, failed: code !== 0 && failed === 0 ? 1 : failed, skipped }
}

/** vitest on `node` against one major of the AI SDK. */
export async function vitest(node, sdk) {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-vitest-'))
  const report = join(folder, 'report.json')
  const args = [fromRoot('node_modules/vitest/vitest.mjs'), 'run', '--reporter=default', '--reporter=json']
  const { code } = await run(node, [...args, `--outputFile.json=${report}`], {
    env: { ...process.env, TOOLGATE_SDK: sdk },
    label: `vitest with AI SDK ${sdk}`,
  })
  const counts = existsSync(report) ? vitestCounts(JSON.parse(readFileSync(report, 'utf8')), code) : fail
  rmSync(folder, { recursive: true })
  return counts
}

/** The counts of vitest's JSON report; a file that does not load has no tests and counts as one failure. */
export function vitestCounts(report, code) {
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults)
  const count = (status) => tests.filter((test) => test.status === status).length
  const broken = report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  ).length
  const failed = count('failed') + broken
  const skipped = tests
    .filter(({ status }) => status !== 'passed' && status !== 'failed')
    .map(({ fullName, status }) => `${fullName} (${status})`)
  return { passed: count('passed'), failed: code !== 0 && failed === 0 ? 1 : failed, skipped }
}
