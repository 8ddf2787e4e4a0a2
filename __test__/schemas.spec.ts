// Every kind of input schema: who checks, and what the model reads when it does not fit.

import { generateText, jsonSchema, stepCountIs } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { z as z3 } from 'zod3'

import { defineTool } from '../ts/index.ts'
import { execute, quiet } from './support/gate.ts'
import { scripted } from './support/model.ts'

const json = {
  type: 'object',
  properties: { n: { type: 'number' } },
  required: ['n'],
  additionalProperties: false,
} as const

/** A Standard Schema by hand, the way a library other than zod makes one. */
const standard = {
  '~standard': {
    version: 1,
    vendor: 'acme',
    validate: (value: unknown) => {
      const n = typeof value === 'object' && value !== null ? Reflect.get(value, 'n') : undefined
      return typeof n === 'number'
        ? { value: { n } }
        : { issues: [{ message: 'n has to be a number', path: ['n'] }] }
    },
    types: undefined,
    jsonSchema: { input: () => ({ ...json }), output: () => ({ ...json }) },
  },
} as const

const kinds = {
  'zod 4': z.object({ n: z.number() }),
  'zod 3': z3.object({ n: z3.number() }),
  'a Standard Schema': standard,
  '`jsonSchema()`': jsonSchema<{ n: number }>({ ...json }),
  'a lazy schema': () => jsonSchema<{ n: number }>({ ...json }),
  'a promised JSON Schema': jsonSchema<{ n: number }>(Promise.resolve({ ...json })),
  'a plain JSON Schema': { ...json },
}

async function run(inputSchema: unknown, input: unknown) {
  const seen: unknown[] = []
  const t = {
    description: 'takes a number',
    inputSchema,
    execute: (given: unknown) => (seen.push(given), 'ok'),
  }
  const toolgate = await quiet({ tools: { t }, declare: { t: { effect: 'read' } } })
  const table = await toolgate.table()
  const { model, requests } = scripted([{ name: 't', input }])
  await generateText({ model, prompt: 'go', ...Object(table.settings), stopWhen: stepCountIs(2) })
  return { seen, requests, table }
}

describe.each(Object.entries(kinds))('%s', (_, inputSchema) => {
  it('sends its JSON Schema to the model', async () => {
    const { requests } = await run(inputSchema, { n: 1 })
    expect(requests[0]).toContain('"properties":{"n":{"type":"number"}}')
  })

  it('lets an input that fits through', async () => {
    const { seen } = await run(inputSchema, { n: 1 })
    expect(seen).toEqual([{ n: 1 }])
  })

  it('keeps an input that does not fit from the tool and tells the model', async () => {
    const { seen, requests } = await run(inputSchema, { n: 'one' })
    expect(seen).toEqual([])
    expect(requests[1]).toMatch(/number/)
  })

  it('checks in `table.call` as well', async () => {
    const { table, seen } = await run(inputSchema, { n: 1 })
    const envelope = await table.call('t', { n: 'one' })
    expect(envelope).toMatchObject({ ok: false, error: { code: 'INPUT_INVALID', retryable: true } })
    expect(seen).toHaveLength(1)
  })
})

describe('a schema without a parser', () => {
  it('is checked in `execute`, whoever calls it', async () => {
    const seen: unknown[] = []
    const t = { inputSchema: jsonSchema({ ...json }), execute: (input: unknown) => void seen.push(input) }
    const toolgate = await quiet({ tools: { t }, declare: { t: { effect: 'read' } } })
    const { tools } = await toolgate.table()
    expect(() => execute(tools.t, { n: 'one' })).toThrow(/n.*expected.*number/i)
    expect(seen).toEqual([])
  })

  it('says where, what was expected and what came', async () => {
    const { table } = await run(jsonSchema({ ...json }), { n: 1 })
    expect(await table.call('t', { n: 'one' })).toMatchObject({
      error: { message: expect.stringMatching(/\/n: expected a number, got .*one/) },
    })
  })

  it('that does not compile is an error that names the tool', async () => {
    const t = { inputSchema: jsonSchema(JSON.parse('{ "type": "wrong" }')), execute: () => 1 }
    await expect(quiet({ tools: { t } })).rejects.toMatchObject({
      code: 'SCHEMA_INVALID',
      message: expect.stringContaining('tools.t'),
    })
  })
})

describe('a schema with a parser', () => {
  it('gives the tool what it made of the input', async () => {
    const { seen } = await run(z.object({ n: z.coerce.number(), unit: z.string().default('m') }), { n: '7' })
    expect(seen).toEqual([{ n: 7, unit: 'm' }])
  })

  it('parses in `table.call` too', async () => {
    const { table, seen } = await run(z.object({ n: z.coerce.number() }), { n: '7' })
    await table.call('t', { n: '8' })
    expect(seen).toEqual([{ n: 7 }, { n: 8 }])
  })

  it('that throws is an input that does not fit, and only the operator reads what it said', async () => {
    const schema = z.object({ n: z.number() }).refine(() => {
      throw new Error('secret')
    })
    const t = { inputSchema: schema, execute: () => 1 }
    const warnings: string[] = []
    const toolgate = await quiet({ tools: { t }, declare: { t: { effect: 'read' } } }, warnings)
    const table = await toolgate.table()
    const envelope = await table.call('t', { n: 1 })
    expect(envelope).toMatchObject({ ok: false, error: { code: 'INPUT_INVALID' } })
    expect(JSON.stringify(envelope)).not.toContain('secret')
    expect(warnings).toEqual(['the schema of `t` threw: secret'])
  })
})

describe('what is no schema', () => {
  const endless = (): unknown => endless
  it.each<[string, unknown]>([
    ['a text', 'abc'],
    ['a number', 5],
    ['a boolean', false],
    ['a list', []],
    ['a schema of the SDK around a boolean', jsonSchema(Object(false).valueOf())],
    ['a schema of the SDK around a number', jsonSchema(Object(5).valueOf())],
    ['a function that gives itself', endless],
    ['a function that rejects', async () => Promise.reject(new Error('offline'))],
    [
      'a function that throws',
      () => {
        throw new Error('offline')
      },
    ],
  ])('is an error that names the tool: %s', async (_, inputSchema) => {
    await expect(quiet({ tools: { t: { inputSchema } } })).rejects.toMatchObject({
      name: 'ToolgateError',
      code: 'SCHEMA_INVALID',
      message: expect.stringContaining('`t`'),
    })
  })
})

describe('defineTool', () => {
  it('takes zod, Standard Schema and `jsonSchema()` and infers the input', async () => {
    const tools = {
      four: defineTool({
        inputSchema: z.object({ n: z.number() }),
        effect: 'read',
        execute: ({ n }) => n + 1,
      }),
      three: defineTool({
        inputSchema: z3.object({ n: z3.number() }),
        effect: 'read',
        execute: ({ n }) => n + 2,
      }),
      plain: defineTool({
        inputSchema: jsonSchema<{ n: number }>({ ...json }),
        effect: 'read',
        execute: ({ n }) => n + 3,
      }),
    }
    const toolgate = await quiet({ tools })
    const table = await toolgate.table()
    expect(await table.call('four', { n: 1 })).toMatchObject({ output: 2 })
    expect(await table.call('three', { n: 1 })).toMatchObject({ output: 3 })
    expect(await table.call('plain', { n: 1 })).toMatchObject({ output: 4 })
  })

  it('tells a tool about its call in the second argument', async () => {
    const t = defineTool({
      inputSchema: z.object({}),
      effect: 'read',
      execute: (_, { session, callId, role }) => ({ session, callId, role }),
    })
    const toolgate = await quiet({ tools: { t } })
    const table = await toolgate.table({ session: 's' })
    expect(await table.call('t', {}, { callId: 'c' })).toMatchObject({
      output: { session: 's', callId: 'c' },
    })
  })

  it('is the declaration of its own tool, which the operator may change', async () => {
    const t = defineTool({ inputSchema: z.object({}), effect: 'destructive', execute: () => 1 })
    const own = await quiet({ tools: { t } })
    expect((await own.table()).explain('t').action).toBe('ask')
    const declared = await quiet({ tools: { t }, declare: { t: { effect: 'read' } } })
    expect((await declared.table()).explain('t').action).toBe('allow')
  })

  it('does not run without a gate', () => {
    const t = defineTool({ inputSchema: z.object({}), effect: 'read', execute: () => 1 })
    expect(() => execute(t, {})).toThrow(/without the gate/)
  })

  it('refuses a key that it does not know, with a suggestion', () => {
    const definition = Object({ inputSchema: z.object({}), efect: 'read', execute: () => 1 })
    expect(() => defineTool(definition)).toThrow(
      expect.objectContaining({ code: 'OPTION_INVALID', help: expect.stringContaining('effect') }),
    )
  })
})
