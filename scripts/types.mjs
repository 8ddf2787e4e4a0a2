// `index.d.ts`: the whole public TypeScript surface on one page, rolled up from `ts/` and committed,
// so that every change of it is a diff that somebody reads.
//
//   node scripts/types.mjs [--check]
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { fromRoot } from './lib/root.mjs'
import { run } from './lib/run.mjs'
import { buildDist, install } from './setup.mjs'

const COMMITTED = fromRoot('index.d.ts')

/** The text that `index.d.ts` has to have; `dist/` must be fresh. */
export function rolledUp() {
  const text = readFileSync(fromRoot('dist/index.d.ts'), 'utf8')
  const lines = text.split('\n').filter((line) => !line.startsWith('//#'))
  return `// The public surface of toolgate, rolled up from ts/ by \`npm run types\`.\n${lines.join('\n').trim()}\n`
}

/** Prints the difference to the committed file; true if there is none. */
export async function isCurrent() {
  const wanted = rolledUp()
  if (existsSync(COMMITTED) && readFileSync(COMMITTED, 'utf8') === wanted) return true
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-types-'))
  const file = join(folder, 'index.d.ts')
  writeFileSync(file, wanted)
  const old = existsSync(COMMITTED) ? COMMITTED : '/dev/null'
  await run('git', ['diff', '--no-index', '--unified=1', '--', old, file])
  rmSync(folder, { recursive: true })
  console.error('index.d.ts is not what ts/ exports; run `npm run types` and commit it')
  return false
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await install()
  await buildDist()
  if (process.argv.includes('--check')) process.exitCode = (await isCurrent()) ? 0 : 1
  else writeFileSync(COMMITTED, rolledUp())
}
