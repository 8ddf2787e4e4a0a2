// What wrapping a tool must not lose.

import { generateText, jsonSchema, stepCountIs, tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

import { quiet } from './support/gate.ts'
import { scripted } from './support/model.ts'

const inputSchema = z.object({ n: z.number() })

async function tableWith(t: { inputSchema: unknown }) {
  const toolgate = await quiet({ tools: { t }, declare: { t: { effect: 'read' } } })
  return toolgate.table()
}

describe('a wrapped tool', () => {
  it('runs with the tool itself as `this`', async () => {
    const t = {
      inputSchema,
      factor: 3,
      execute(this: { factor: number }, { n }: { n: number }) {
        return n * this.factor
      },
    }
    const table = await tableWith(t)
    expect(await table.call('t', { n: 2 })).toEqual({ ok: true, output: 6, meta: {} })
  })

  it('keeps a property that is not enumerable', async () => {
    const t = Object.defineProperty({ inputSchema, execute: () => 1 }, 'experimental_toolCaller', { value: { type: 'local' } })
    const { tools } = await tableWith(t)
    const descriptor = Object.getOwnPropertyDescriptor(tools.t, 'experimental_toolCaller')
    expect(descriptor).toMatchObject({ value: { type: 'local' }, enumerable: false })
  })

  it('keeps symbols, getters and the prototype', async () => {
    const mark = Symbol('mark')
    class Base {
      get kind() {
        return 'based'
      }
    }
    let reads = 0
    const t = Object.assign(new Base(), { inputSchema, execute: () => 1, [mark]: 7 })
    Object.defineProperty(t, 'description', { get: () => `read ${(reads += 1)}`, enumerable: true, configurable: true })
    const { tools } = await tableWith(t)
    expect(Reflect.get(tools.t, mark)).toBe(7)
    expect(Reflect.get(tools.t, 'kind')).toBe('based')
    expect(tools.t).toBeInstanceOf(Base)
    const before = reads
    expect(Reflect.get(tools.t, 'description')).toBe(`read ${before + 1}`)
  })

  it('wraps a frozen tool', async () => {
    const table = await tableWith(Object.freeze({ inputSchema, execute: () => 'cold' }))
    expect(await table.call('t', { n: 1 })).toMatchObject({ output: 'cold' })
  })

  it('does not touch the tool of the application', async () => {
    const execute = () => 1
    const t = { inputSchema, execute }
    await tableWith(t)
    expect(t).toEqual({ inputSchema, execute })
  })

  it('passes a provider tool through as it is', async () => {
    const search = { type: 'provider' as const, id: 'acme.search' as const, args: {}, inputSchema: z.object({}) }
    const toolgate = await quiet({ tools: { search }, declare: { search: { effect: 'read' } } })
    const { tools } = await toolgate.table()
    expect(tools.search).toBe(search)
  })

  it('leaves a provider tool out when a rule denies it', async () => {
    const search = { type: 'provider' as const, id: 'acme.search' as const, args: {}, inputSchema: z.object({}) }
    const toolgate = await quiet({ tools: { search }, config: { permission: { search: 'deny' } } })
    const { tools } = await toolgate.table()
    expect(Object.keys(tools)).toEqual([])
  })

  it('keeps `toModelOutput`', async () => {
    const t = tool({
      inputSchema,
      execute: async () => ({ long: 'x'.repeat(100) }),
      toModelOutput: () => ({ type: 'text', value: 'short' }),
    })
    const toolgate = await quiet({ tools: { t }, declare: { t: { effect: 'read' } } })
    const table = await toolgate.table()
    const { model, requests } = scripted([{ name: 't', input: { n: 1 } }])
    await generateText({ model, prompt: 'go', ...table.settings, stopWhen: stepCountIs(2) })
    expect(requests[1]).toContain('short')
    expect(requests[1]).not.toContain('xxxxx')
  })

  it('lets a tool of the browser pass without an `execute`', async () => {
    const t = tool({ inputSchema, outputSchema: jsonSchema<string>({ type: 'string' }) })
    const toolgate = await quiet({ tools: { t }, declare: { t: { effect: 'read' } } })
    const { tools } = await toolgate.table()
    expect('execute' in tools.t).toBe(false)
  })

  it('gives an AI SDK tool the context of the call beside the options of the SDK', async () => {
    let seen: unknown
    const t = { inputSchema, execute: (_: unknown, options: object) => void (seen = Reflect.get(options, 'toolgate')) }
    const toolgate = await quiet({ tools: { t }, declare: { t: { effect: 'read' } } })
    const table = await toolgate.table({ session: 's', tenant: 'acme', principal: 'ann', turn: 'u1', messageId: 'm1' })
    await table.call('t', { n: 1 }, { callId: 'c1' })
    expect(seen).toMatchObject({
      session: 's',
      tenant: 'acme',
      principal: 'ann',
      turn: 'u1',
      messageId: 'm1',
      callId: 'c1',
      idempotencyKey: undefined,
      extra: {},
    })
  })
})
