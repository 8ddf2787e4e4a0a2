// What a user gets: both tarballs installed into an empty folder, without Rust, without a registry
// and without the AI SDK, then used from JavaScript and type-checked from TypeScript.
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { pack } from './pack.mjs'
import { node22 } from './lib/node22.mjs'
import { fromRoot } from './lib/root.mjs'
import { must, run } from './lib/run.mjs'
import { setup } from './setup.mjs'

const SCRIPT = `
import assert from 'node:assert/strict'
import { createToolgate } from 'toolgate'

const tools = {
  add: {
    description: 'Adds two numbers.',
    inputSchema: {
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number' } },
      required: ['a', 'b'],
      additionalProperties: false,
    },
    execute: ({ a, b }) => a + b,
  },
  wipe: { description: 'Deletes everything.', inputSchema: { type: 'object' }, execute: () => assert.fail('a denied tool ran') },
}
const toolgate = await createToolgate({
  config: { permission: { add: 'allow', wipe: { '*': 'allow', all: 'deny' } } },
  tools,
  declare: { add: { effect: 'read' }, wipe: { effect: 'read', permission: { pattern: '/what' } } },
})
const table = await toolgate.table({ session: 'smoke' })
assert.deepEqual(Object.keys(table.tools), ['add', 'wipe'])

const sum = await table.call('add', { a: 1, b: 2 }, { callId: 'call-1' })
assert.match(JSON.stringify(sum), /3/)
const wrong = await table.call('add', { a: 1, b: 'two' }, { callId: 'call-2' })
assert.match(JSON.stringify(wrong), /INPUT_INVALID/)
const denied = await table.call('wipe', { what: 'all' }, { callId: 'call-3' })
assert.match(JSON.stringify(denied), /PERMISSION_DENIED/)
const unknown = await table.call('constructor', {}, { callId: 'call-4' })
assert.match(JSON.stringify(unknown), /TOOL_UNKNOWN/)
`

const TYPES = `
import { createToolgate } from 'toolgate'

const toolgate = await createToolgate({ config: { permission: { '*': 'allow' } }, tools: {} })
const table = await toolgate.table({ session: 'smoke' })
export const names: string[] = Object.keys(table.tools)
// @ts-expect-error: an option that does not exist
await createToolgate({ configuration: {} })
`

/** The AI SDK has no declarations of its own for this package. */
const SHIM = "declare module 'json-schema' { export type JSONSchema7 = object; export type JSONSchema7Definition = object | boolean }\n"

/** @returns {Promise<import('./lib/report.mjs').Counts>} */
export async function packSmoke() {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-smoke-'))
  try {
    return await smoke(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function smoke(folder) {
  const counts = { passed: 0, failed: 0, skipped: [] }
  const check = (what, { code }) => {
    counts[code === 0 ? 'passed' : 'failed'] += 1
    console.log(`${code === 0 ? 'ok' : 'FAILED'} ${what}`)
  }
  mkdirSync(join(folder, 'tarballs'))
  const { main, platform } = await pack(join(folder, 'tarballs'))

  const app = join(folder, 'app')
  mkdirSync(app)
  writeFileSync(join(app, 'package.json'), '{ "private": true, "type": "module" }\n')
  writeFileSync(join(app, 'smoke.mjs'), SCRIPT)
  writeFileSync(join(app, 'types.ts'), TYPES)
  writeFileSync(join(app, 'shim.d.ts'), SHIM)
  const env = withoutRust()
  await must('npm', ['install', '--offline', '--no-fund', '--no-audit', '--loglevel=error', main, platform], { cwd: app, env, isQuiet: true })

  const on = (node) => run(node, ['smoke.mjs'], { cwd: app, env, isQuiet: true })
  check(`the installed package on Node ${process.versions.node}`, await on(process.execPath))
  const newer = await node22()
  if ('reason' in newer) counts.skipped.push(newer.reason)
  else if (newer.node !== process.execPath) check('the installed package on Node 22', await on(newer.node))
  check('its types without the AI SDK', await typeCheck(app))
  for (const sdk of ['ai', 'ai7']) check(`its types with \`${sdk}\` of this repository`, await typeCheck(app, sdk))
  return counts
}

/** Checks declarations too, but for `ai`, without which the types that come from it are unknown. */
async function typeCheck(app, sdk) {
  const link = join(app, 'node_modules/ai')
  rmSync(link, { force: true })
  if (sdk !== undefined) symlinkSync(fromRoot(`node_modules/${sdk}`), link, 'junction')
  const compilerOptions = {
    target: 'es2022',
    module: 'nodenext',
    strict: true,
    noEmit: true,
    skipLibCheck: sdk === undefined,
    typeRoots: [fromRoot('node_modules/@types')],
    types: ['node'],
  }
  writeFileSync(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  return run(process.execPath, [fromRoot('node_modules/typescript/bin/tsc'), '-p', app], { cwd: app, isQuiet: true })
}

/** The environment without the folders that have cargo or rustc. */
function withoutRust() {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const hasRust = (folder) => ['cargo', 'rustc', 'cargo.exe', 'rustc.exe'].some((name) => existsSync(join(folder, name)))
  const kept = folders.filter((folder) => !hasRust(folder))
  return { ...process.env, PATH: kept.join(delimiter) }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await setup()
  const { passed, failed, skipped } = await packSmoke()
  for (const reason of skipped) console.log(`skipped: ${reason}`)
  console.log(`${passed} passed, ${failed} failed, ${skipped.length} skipped`)
  process.exitCode = failed === 0 ? 0 : 1
}
