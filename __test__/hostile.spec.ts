// Names and inputs that somebody made to break things.

import { generateText, jsonSchema, stepCountIs } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

import { execute, quiet, readTool } from './support/gate.ts'
import { scripted } from './support/model.ts'

const schema = jsonSchema({
  $defs: { tree: { type: 'object', additionalProperties: { $ref: '#/$defs/tree' } } },
  type: 'object',
  properties: { tree: { $ref: '#/$defs/tree' }, id: { type: 'integer' }, text: { type: 'string' } },
})

async function tolerant(effect: 'read' | 'external-write' = 'read') {
  const seen: unknown[] = []
  const t = { inputSchema: schema, execute: (input: unknown) => (seen.push(input), 'ok') }
  const toolgate = await quiet({
    tools: { t },
    declare: { t: { effect } },
    config: { permission: { t: 'allow' } },
  })
  const { tools } = await toolgate.table({ session: 's' })
  return { run: async (input: unknown) => execute(tools.t, input), seen }
}

const codes = (code: string) => ({ envelope: { error: { code } } })

describe('names', () => {
  it('that JavaScript knows are names like any other', async () => {
    const { read } = readTool()
    const names = ['constructor', 'toString', 'hasOwnProperty', 'valueOf']
    const toolgate = await quiet({
      tools: Object.fromEntries(names.map((name) => [name, read])),
      declare: { '*': { effect: 'read' } },
    })
    const table = await toolgate.table()
    for (const name of names)
      expect(await table.call(name, { path: name })).toMatchObject({ output: `content of ${name}` })
  })

  it('like `__proto__` name a tool and not a prototype', async () => {
    const { read } = readTool()
    const tools = Object.fromEntries([['__proto__', read]])
    const toolgate = await quiet({ tools, declare: { '*': { effect: 'read' } } })
    const table = await toolgate.table()
    expect(Object.keys(table.tools)).toEqual(['__proto__'])
    expect(await table.call('__proto__', { path: 'a' })).toMatchObject({ output: 'content of a' })
  })

  it('that the model makes up are told to it, without naming what exists', async () => {
    const { read } = readTool()
    const toolgate = await quiet({ tools: { read }, declare: { read: { effect: 'read' } } })
    const table = await toolgate.table()
    const { model } = scripted([{ name: 'constructor', input: {} }], 'sorry')
    const result = await generateText({ model, prompt: 'go', ...table.settings, stopWhen: stepCountIs(2) })
    expect(result.toolResults).toEqual([])
  })
})

describe('inputs', () => {
  it.each(['read', 'external-write'] as const)('of 100,000 levels are refused (%s)', async (effect) => {
    const { run, seen } = await tolerant(effect)
    let tree = {}
    for (let level = 0; level < 100_000; level += 1) tree = { tree }
    await expect(run({ tree })).rejects.toMatchObject(codes('INPUT_TOO_LARGE'))
    expect(seen).toEqual([])
  })

  it('that contain themselves are refused', async () => {
    const { run, seen } = await tolerant()
    const tree: Record<string, unknown> = {}
    tree['again'] = tree
    await expect(run({ tree })).rejects.toMatchObject(codes('INPUT_TOO_LARGE'))
    expect(seen).toEqual([])
  })

  it('with a getter that throws are refused', async () => {
    const { run, seen } = await tolerant()
    const input = {
      get id(): number {
        throw new Error('trap')
      },
    }
    await expect(run(input)).rejects.toMatchObject({ envelope: { ok: false } })
    expect(seen).toEqual([])
  })

  it('with a getter are refused for a guarded call, because it may answer differently later', async () => {
    const { run, seen } = await tolerant('external-write')
    let reads = 0
    const input = {
      get id() {
        return (reads += 1)
      },
    }
    await expect(run(input)).rejects.toMatchObject({ envelope: { ok: false } })
    expect(seen).toEqual([])
  })

  it('with a key `__proto__` keep it a key', async () => {
    const { run, seen } = await tolerant('external-write')
    await run(JSON.parse('{ "__proto__": { "polluted": true }, "id": 1 }'))
    expect(Object.keys(Object(seen[0]))).toEqual(['__proto__', 'id'])
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })

  it('with half of a surrogate pair are refused for a guarded call', async () => {
    const { run } = await tolerant('external-write')
    await expect(run({ text: '\ud83d' })).rejects.toMatchObject(codes('INPUT_NOT_CANONICAL'))
  })

  it('with 2^53+1 run with the number that JavaScript makes of it', async () => {
    const { run, seen } = await tolerant('external-write')
    await run(JSON.parse('{ "id": 9007199254740993 }'))
    expect(seen).toEqual([{ id: 9007199254740992 }])
  })

  it('with a BigInt are refused', async () => {
    const { run, seen } = await tolerant('external-write')
    await expect(run({ id: 1n })).rejects.toMatchObject({ envelope: { ok: false } })
    expect(seen).toEqual([])
  })

  it.each([undefined, null, 5, 'text', [], () => {}, Symbol('s')])(
    'of another type (%s) do not reach the tool',
    async (input) => {
      const { run, seen } = await tolerant()
      await expect(run(input)).rejects.toMatchObject({ envelope: { ok: false } })
      expect(seen).toEqual([])
    },
  )

  it('of `table.call` are copied before anybody looks', async () => {
    const seen: unknown[] = []
    const t = { inputSchema: z.looseObject({}), execute: (input: unknown) => void seen.push(input) }
    const toolgate = await quiet({ tools: { t }, declare: { t: { effect: 'read' } } })
    const table = await toolgate.table()
    const input = { n: 1 }
    const running = table.call('t', input)
    input.n = 2
    await running
    expect(seen).toEqual([{ n: 1 }])
    const cyclic: Record<string, unknown> = {}
    cyclic['self'] = cyclic
    expect(await table.call('t', cyclic)).toMatchObject({ ok: false, error: { code: 'INPUT_NOT_CANONICAL' } })
  })
})

describe('resources', () => {
  const withPattern = async (pattern: string | ((input: never) => string | string[])) => {
    const { read } = readTool()
    const t = { ...read, inputSchema: z.looseObject({}) }
    const toolgate = await quiet({
      tools: { t },
      declare: { t: { effect: 'read', permission: { pattern } } },
      config: { permission: { t: { '*': 'allow', 'secret*': 'deny' } } },
    })
    return toolgate.table({ session: 's' })
  }

  it('of a pointer into a list are all of it', async () => {
    const table = await withPattern('/paths')
    expect(table.explain('t', { paths: ['a', 'b'] }).action).toBe('allow')
    expect(table.explain('t', { paths: ['a', 'secret/b'] }).action).toBe('deny')
  })

  it('that are not there, or no text, are a question', async () => {
    const table = await withPattern('/path')
    for (const input of [{}, { path: null }, { path: { a: 1 } }, { path: [['a']] }, { path: [] }]) {
      expect(table.explain('t', input).action).toBe('ask')
    }
  })

  it.each<[string, unknown[]]>([
    ['nothing', ['secret/b', null]],
    ['an object', [{ a: 1 }, 'secret/b']],
    ['a list', [['secret/b']]],
    ['a list in a list', ['a', [['a']], ['secret/b']]],
  ])('beside %s are denied where one that can be read is, and a question otherwise', async (_, paths) => {
    const table = await withPattern('/paths')
    expect(table.explain('t', { paths }).action).toBe('deny')
    expect(await table.call('t', { paths })).toMatchObject({ error: { code: 'PERMISSION_DENIED' } })
    const allowed: unknown = JSON.parse(JSON.stringify(paths).replace('secret', 'public'))
    expect(table.explain('t', { paths: allowed }).action).toBe('ask')
    expect(await table.call('t', { paths: allowed })).toMatchObject({ error: { code: 'APPROVAL_REQUIRED' } })
  })

  it('of an inherited property are not found', async () => {
    const table = await withPattern('/constructor/name')
    expect(table.explain('t', {}).action).toBe('ask')
  })

  it('of a function that throws or answers nonsense are a refusal', async () => {
    const throwing = await withPattern(() => {
      throw new Error('pattern bug')
    })
    expect(await throwing.call('t', { path: 'a' })).toMatchObject({ ok: false, error: { code: 'INTERNAL' } })
    const nonsense = await withPattern(() => Object(5))
    expect(await nonsense.call('t', { path: 'a' })).toMatchObject({ ok: false, error: { code: 'INTERNAL' } })
  })

  it('of a function are what it says', async () => {
    const table = await withPattern((input: { path: string }) => [input.path, input.path.toUpperCase()])
    expect(table.explain('t', Object({ path: 'a' })).resources.map(({ resource }) => resource)).toEqual([
      'a',
      'A',
    ])
  })
})

describe('what a caller without types passes', () => {
  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a symbol', Symbol('t')],
    ['an object', {}],
  ])('as the name of a tool is an unknown tool: %s', async (_, name) => {
    const table = await (await quiet({ tools: {} })).table()
    const call: unknown = await Reflect.apply(table.call, table, [name, {}])
    expect(call).toMatchObject({ error: { code: 'TOOL_UNKNOWN' } })
  })

  it.each<[string, unknown]>([
    ['messages', 'hello'],
    ['messages', {}],
    ['abortSignal', 'abort'],
    ['abortSignal', {}],
  ])('as `%s` of a call is named as the fault', async (key, value) => {
    const { read, asked } = readTool()
    const toolgate = await quiet({ tools: { read }, declare: { read: { effect: 'read' } } })
    const table = await toolgate.table()
    const calling: unknown = Reflect.apply(table.call, table, ['read', { path: 'a' }, { [key]: value }])
    await expect(calling).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.stringContaining(`options.${key}`),
    })
    expect(asked).toEqual([])
  })

  it('to `explain` and cannot be read is named as the fault', async () => {
    const { read } = readTool()
    const declare = { read: { effect: 'read', permission: { pattern: '/path' } } } as const
    const table = await (await quiet({ tools: { read }, declare })).table()
    const input = Object.defineProperty({}, 'path', {
      enumerable: true,
      get: () => {
        throw new Error('not today')
      },
    })
    expect(() => table.explain('read', input)).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }))
  })
})

describe('what a tool throws', () => {
  const trap = () => {
    throw new Error('trapped')
  }
  it.each<[string, unknown]>([
    ['a proxy that throws at every look', new Proxy({}, { get: trap, has: trap, getPrototypeOf: trap })],
    ['the marker of a refusal without one', { [Symbol.for('toolgate.refusal')]: true }],
    ['the marker with a refusal that is none', { [Symbol.for('toolgate.refusal')]: true, envelope: { ok: true } }],
  ])('is a failure of the tool, also %s', async (_, thrown) => {
    const t = { inputSchema: z.object({}), execute: () => Promise.reject(thrown) }
    const toolgate = await quiet({ tools: { t }, declare: { t: { effect: 'read' } } })
    const table = await toolgate.table()
    expect(await table.call('t', {})).toMatchObject({ ok: false, error: { code: 'TOOL_FAILED' } })
  })
})
