// The scripts decide whether everything else passed, so what they count and write is tested too.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { load } from '../native/load.js'
import { renderBinding } from '../scripts/lib/binding.mjs'
import { cargoCounts, vitestCounts } from '../scripts/lib/runners.mjs'

describe('the counts of cargo test', () => {
  const check = (output, code, expected) => expect(cargoCounts(output, code)).toEqual(expected)

  it('adds up all binaries', () => {
    const output = 'test result: ok. 3 passed; 0 failed; 0 ignored;\ntest result: FAILED. 1 passed; 2 failed; 0 ignored;\n'
    check(output, 101, { passed: 4, failed: 2, skipped: [] })
  })
  it('counts a build that failed as one failure', () => {
    check('error: could not compile `toolgate`\n', 101, { passed: 0, failed: 1, skipped: [] })
  })
  it('tells the reason of an ignored test', () => {
    const output = 'test a::b ... ignored, needs a clock\ntest result: ok. 1 passed; 0 failed; 1 ignored;\n'
    check(output, 0, { passed: 1, failed: 0, skipped: ['a::b: needs a clock'] })
  })
})

describe('the counts of vitest', () => {
  const file = (status, ...tests) => ({ status, assertionResults: tests.map(([name, of]) => ({ fullName: name, status: of })) })
  const check = (testResults, code, expected) => expect(vitestCounts({ testResults }, code)).toEqual(expected)

  it('counts tests, not files', () => {
    check([file('passed', ['a', 'passed'], ['b', 'passed'])], 0, { passed: 2, failed: 0, skipped: [] })
  })
  it('counts a file that does not load as one failure', () => {
    check([file('failed')], 1, { passed: 0, failed: 1, skipped: [] })
    check([], 1, { passed: 0, failed: 1, skipped: [] })
  })
  it('names what was skipped', () => {
    check([file('passed', ['a', 'passed'], ['b', 'pending'])], 0, { passed: 1, failed: 0, skipped: ['b (pending)'] })
  })
  it('counts a failed test once', () => {
    check([file('failed', ['a', 'failed'])], 1, { passed: 0, failed: 1, skipped: [] })
  })
})

describe('the binding', () => {
  it('gives every handle a type of its own', () => {
    const exported = { kind: 'fn', name: 'newRegistry', js_doc: '', def: 'function newRegistry(tools: Array<ExternalObject<Tool>>): ExternalObject<Registry<NapiJson>>' }
    const { code, types } = renderBinding([exported])
    expect(types).toContain('export declare function newRegistry(tools: Array<ToolHandle>): RegistryHandle')
    expect(types).toContain("export interface ToolHandle { readonly [handle]: 'ToolHandle' }")
    expect(code).toContain('export const {\n  newRegistry,\n} = load(names)')
  })
  it('refuses a class, which costs more a call and is closed by nobody', () => {
    expect(() => renderBinding([{ kind: 'struct', name: 'Table', def: '' }])).toThrow('export `Table` of crates/node is a struct')
  })
})

describe('an addon that does not load', () => {
  const missing = pathToFileURL(join(tmpdir(), 'toolgate-no-such.node'))
  const thrown = (options) => {
    const { decide } = load(['decide'], options)
    try {
      return decide()
    } catch (error) {
      return JSON.parse(error.message)
    }
  }

  it('is told by the first call and not by the import', () => {
    expect(thrown({ local: missing, platform: 'sunos', arch: 'x64' })).toEqual({
      code: 'NATIVE_MISSING',
      message: expect.stringContaining('the native addon for sunos x64 does not load from `@toolgate/node-sunos-x64`'),
      help: expect.stringContaining('npm install @toolgate/node-sunos-x64'),
    })
  })
  it('names the package of this platform', () => {
    expect(thrown({ local: missing, platform: 'darwin', arch: 'arm64' }).message).toContain('`@toolgate/node-darwin-arm64`')
    expect(thrown({ local: missing, platform: 'win32', arch: 'x64' }).message).toContain('`@toolgate/node-win32-x64-msvc`')
  })
  it('says to build again when the local build is broken', () => {
    const folder = mkdtempSync(join(tmpdir(), 'toolgate-broken-'))
    const broken = join(folder, 'toolgate.node')
    writeFileSync(broken, 'not a library')
    expect(thrown({ local: pathToFileURL(broken) }).help).toBe('build it again: `npm run build`')
    rmSync(folder, { recursive: true })
  })
  it('does not take an addon of another version', () => {
    const { 'no such function': call } = load(['no such function'])
    expect(call).toThrow('it is of another version')
  })
})
