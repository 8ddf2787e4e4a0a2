// What a call costs in crossings, and what a fault of the addon does to it.

import { generateText, jsonSchema, stepCountIs, tool } from 'ai'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'

import { execute, payTool, quiet } from './support/gate.ts'
import { scripted } from './support/model.ts'

const native = vi.hoisted(() => ({ calls: new Array<string>(), panicking: new Set<string>() }))

vi.mock('#native', async (load) => {
  const binding = await load<Record<string, unknown>>()
  const wrapped = Object.entries(binding).map(([name, call]) => [
    name,
    (...parameters: unknown[]) => {
      native.calls.push(name)
      // What napi throws for a panic: an error whose message is the panic's, and no JSON.
      if (native.panicking.has(name)) throw new Error('index out of bounds')
      return typeof call === 'function' ? Reflect.apply(call, undefined, parameters) : call
    },
  ])
  return Object.fromEntries(wrapped)
})

beforeEach(() => {
  native.calls.length = 0
  native.panicking.clear()
})

const inputSchema = jsonSchema<{ path: string }>({ type: 'object', properties: { path: { type: 'string' } } })

async function reading() {
  const seen: unknown[] = []
  const read = tool({ inputSchema, execute: async ({ path }) => (seen.push(path), 'x'.repeat(1_999)) })
  const toolgate = await quiet({
    tools: { read },
    declare: { read: { effect: 'read', permission: { pattern: '/path' } } },
    config: { permission: { read: { '*': 'allow', '*.key': 'deny' } } },
  })
  return { table: await toolgate.table(), seen }
}

describe('a plain call', () => {
  it('crosses at most three times, from the model to the output', async () => {
    const { table, seen } = await reading()
    const { model } = scripted([{ name: 'read', input: { path: 'a' } }])
    const { settings } = table
    native.calls.length = 0
    await generateText({ model, prompt: 'go', ...settings, stopWhen: stepCountIs(2) })
    expect(seen).toEqual(['a'])
    expect(native.calls.length).toBeLessThanOrEqual(3)
    expect(native.calls.filter((name) => name === 'validate')).toHaveLength(1)
  })

  it('is decided again in `execute`, whatever was decided before', async () => {
    const { table } = await reading()
    const options = { toolCallId: 'c', messages: [] }
    const input = { path: 'a' }
    await table.settings.toolApproval.read(input, options)
    native.calls.length = 0
    await execute(table.tools.read, input)
    expect(native.calls).toContain('decide')
  })
})

describe('a panic', () => {
  it.each(['decide', 'validate', 'explain', 'decideAll'])('in `%s` refuses the call', async (name) => {
    const { table, seen } = await reading()
    native.panicking.add(name)
    // A denied call is explained; one without a resource is decided the long way.
    const input = name === 'explain' ? { path: 'a.key' } : name === 'decideAll' ? {} : { path: 'a' }
    const envelope = await table.call('read', input)
    expect(envelope).toMatchObject({ ok: false, error: { code: 'INTERNAL' } })
    expect(JSON.stringify(envelope)).not.toContain('index out of bounds')
    expect(seen).toEqual([])
  })

  it('while an approval is decided denies it and does not reject the stream', async () => {
    const { table } = await reading()
    native.panicking.add('decide')
    const status = await table.settings.toolApproval.read({ path: 'a' }, { toolCallId: 'c', messages: [] })
    expect(status.type).toBe('denied')
  })

  it.each(['callKey', 'canonicalHash', 'transition', 'fingerprint'])('in `%s` refuses a guarded call', async (name) => {
    const { pay, paid } = payTool()
    const toolgate = await quiet({
      tools: { pay },
      declare: { pay: { effect: 'external-write' } },
      config: { permission: { pay: 'allow' } },
    })
    const table = await toolgate.table({ session: 's' })
    native.panicking.add(name)
    expect(await table.call('pay', { amount: 1 })).toMatchObject({ ok: false, error: { code: 'INTERNAL' } })
    expect(paid).toEqual([])
  })

  it('in `buildTable` is an error with its cause', async () => {
    const { pay } = payTool()
    const toolgate = await quiet({ tools: { pay } })
    native.panicking.add('buildTable')
    await expect(toolgate.table()).rejects.toMatchObject({
      code: 'INTERNAL',
      help: expect.stringContaining('report'),
      cause: { message: 'index out of bounds' },
    })
  })

  it('of the real addon is an error, and the process goes on', async () => {
    const { probe } = await import('#native')
    expect(() => probe(true)).toThrow(/panic/)
    expect(probe(false)).toBeUndefined()
  })
})

it('a condition on the input makes the core read it', async () => {
  const runs: number[] = []
  const pay = tool({ inputSchema: z.object({ amount: z.number() }), execute: ({ amount }) => void runs.push(amount) })
  const toolgate = await quiet({
    tools: { pay },
    declare: { pay: { effect: 'internal-write' } },
    config: {
      permission: { pay: [{ action: 'allow' }, { action: 'deny', when: { 'input.amount': { exclusiveMinimum: 1000 } } }] },
    },
  })
  const table = await toolgate.table()
  expect(await table.call('pay', { amount: 1000 })).toMatchObject({ ok: true })
  expect(await table.call('pay', { amount: 1001 })).toMatchObject({ error: { code: 'PERMISSION_DENIED' } })
  expect(runs).toEqual([1000])
  expect(native.calls).toContain('decideAll')
})
