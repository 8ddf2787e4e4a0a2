// Guarded calls: one run for one call, whatever comes twice.

import { generateText, stepCountIs, tool } from 'ai'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'

import { memoryStore, ToolError } from '../ts/index.ts'
import { isAsyncIterable } from '../ts/last-of.ts'
import { Turnstile } from '../ts/turnstile.ts'
import { execute, payTool, quiet } from './support/gate.ts'
import { scripted } from './support/model.ts'

const named = { permission: { pay: 'allow' } } as const
const guarded = { pay: { effect: 'external-write' } } as const

async function paying(run?: (input: { amount: number }) => unknown) {
  const { pay, paid } = payTool()
  const t = run === undefined ? pay : tool({ inputSchema: z.object({ amount: z.number() }), execute: run })
  const settled: string[] = []
  const toolgate = await quiet({
    tools: { pay: t },
    declare: guarded,
    config: named,
    on: { 'call-settled': ({ outcome }) => void settled.push(outcome) },
  })
  return { toolgate, table: await toolgate.table({ session: 's', turn: 't1' }), paid, settled }
}

describe('a guarded call that a named rule allows', () => {
  it('runs without a question', async () => {
    const { table, paid, settled } = await paying()
    expect(await table.call('pay', { amount: 5 })).toEqual({
      ok: true,
      output: { receipt: 'paid 5' },
      meta: {},
    })
    expect(paid).toEqual([5])
    expect(settled).toEqual(['succeeded'])
  })

  it('is replayed when the same call comes again', async () => {
    const { table, toolgate, paid } = await paying()
    await table.call('pay', { amount: 5 }, { callId: 'c' })
    const next = await toolgate.table({ session: 's', turn: 't1' })
    expect(await next.call('pay', { amount: 5 }, { callId: 'c' })).toEqual({
      ok: true,
      output: { receipt: 'paid 5' },
      meta: { replayed: true },
    })
    expect(paid).toEqual([5])
  })

  it('runs once when the model repeats its id in one response', async () => {
    const { table, paid } = await paying()
    const twice = { name: 'pay', input: { amount: 5 }, id: 'same' }
    const { model } = scripted([twice, twice])
    await generateText({ model, prompt: 'pay', ...table.settings, stopWhen: stepCountIs(2) })
    expect(paid).toEqual([5])
  })

  it('is a conflict with another input', async () => {
    const { table, paid } = await paying()
    await table.call('pay', { amount: 5 }, { callId: 'c' })
    expect(await table.call('pay', { amount: 6 }, { callId: 'c' })).toMatchObject({
      error: { code: 'CONFLICT' },
    })
    expect(paid).toEqual([5])
  })

  it('is another call in another turn, session or under another id', async () => {
    const { table, toolgate, paid } = await paying()
    await table.call('pay', { amount: 5 }, { callId: 'c' })
    await table.call('pay', { amount: 5 }, { callId: 'd' })
    await (await toolgate.table({ session: 's', turn: 't2' })).call('pay', { amount: 5 }, { callId: 'c' })
    await (await toolgate.table({ session: 's2', turn: 't1' })).call('pay', { amount: 5 }, { callId: 'c' })
    expect(paid).toEqual([5, 5, 5, 5])
  })

  it('tells the tool a key that stays the same for the call', async () => {
    const keys: unknown[] = []
    const t = {
      inputSchema: z.object({}),
      execute: (_: unknown, options: object) =>
        void keys.push(Reflect.get(options, 'toolgate').idempotencyKey),
    }
    const toolgate = await quiet({ tools: { pay: t }, declare: guarded, config: named })
    await (await toolgate.table({ session: 's' })).call('pay', {}, { callId: 'c' })
    expect(keys[0]).toMatch(/\w{16,}/)
  })

  it('gives the tool a copy of its own', async () => {
    const input = { amount: 5, note: { to: 'a' } }
    let seen: unknown
    const t = { inputSchema: z.looseObject({}), execute: (given: unknown) => void (seen = given) }
    const toolgate = await quiet({ tools: { pay: t }, declare: guarded, config: named })
    const { tools } = await toolgate.table({ session: 's' })
    await execute(tools.pay, input)
    expect(seen).toEqual(input)
    expect(seen).not.toBe(input)
  })
})

describe('a duplicate of a call that runs', () => {
  afterEach(() => void vi.useRealTimers())

  it('is told so in the end when the tool calls itself', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    let inner: Promise<unknown> | undefined
    const { table } = await paying(() => (inner = table.call('pay', { amount: 5 }, { callId: 'c' })))
    const outer = table.call('pay', { amount: 5 }, { callId: 'c' })
    await vi.advanceTimersByTimeAsync(10_000)
    expect(await inner).toMatchObject({ error: { code: 'CALL_IN_PROGRESS', retryable: true } })
    expect(await outer).toMatchObject({ ok: true })
  })

  it('stops waiting when its own signal aborts', async () => {
    const running = deferred<string>()
    const { table } = await paying(() => running.promise)
    const first = table.call('pay', { amount: 5 }, { callId: 'c' })
    const abort = new AbortController()
    const second = table.call('pay', { amount: 5 }, { callId: 'c', abortSignal: abort.signal })
    abort.abort()
    expect(await second).toMatchObject({ error: { code: 'CALL_ABORTED' } })
    running.resolve('paid')
    expect(await first).toMatchObject({ ok: true, output: 'paid' })
  })

  it('is told so in the end when nobody reads the stream of the first', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const pay = tool({
      inputSchema: z.object({}),
      execute: async function* () {
        yield 1
        yield 2
      },
    })
    const toolgate = await quiet({ tools: { pay }, declare: guarded, config: named })
    const table = await toolgate.table({ session: 's', turn: 't' })
    const stream = execute(table.tools.pay, {})
    if (!isAsyncIterable(stream)) throw new Error('no stream')
    expect(await stream[Symbol.asyncIterator]().next()).toEqual({ done: false, value: 1 })
    const second = table.call('pay', {}, { callId: 'c' })
    await vi.advanceTimersByTimeAsync(10_000)
    expect(await second).toMatchObject({ error: { code: 'CALL_IN_PROGRESS' } })
  })
})

describe('a turnstile', () => {
  it('keeps the place of one that went away for those behind it', async () => {
    const turnstile = new Turnstile({ waitMs: 0 })
    const patient = new Turnstile()
    expect((await turnstile.enter('k')).type).toBe('inside')
    expect((await turnstile.enter('k')).type).toBe('taken')
    const first = await patient.enter('k')
    const gone = patient.enter('k', AbortSignal.abort())
    expect((await gone).type).toBe('aborted')
    let isIn = false
    const third = patient.enter('k').then((entry) => ((isIn = true), entry))
    await Promise.resolve()
    expect(isIn).toBe(false)
    if (first.type === 'inside') first.leave()
    expect((await third).type).toBe('inside')
  })
})

describe('a guarded call that was aborted', () => {
  it('before it started does not start', async () => {
    const { table, paid } = await paying()
    const abortSignal = AbortSignal.abort()
    expect(await table.call('pay', { amount: 5 }, { callId: 'c', abortSignal })).toMatchObject({
      error: { code: 'CALL_ABORTED' },
    })
    expect(paid).toEqual([])
    expect(await table.call('pay', { amount: 5 }, { callId: 'c' })).toMatchObject({ ok: true })
  })
})

describe('a guarded call that throws', () => {
  it('counts as unknown, and does not run again', async () => {
    let runs = 0
    const { table, settled } = await paying(() => {
      runs += 1
      throw new Error('socket hang up')
    })
    expect(await table.call('pay', { amount: 5 }, { callId: 'c' })).toMatchObject({
      error: { code: 'TOOL_FAILED', message: 'socket hang up' },
    })
    expect(await table.call('pay', { amount: 5 }, { callId: 'c' })).toMatchObject({
      error: { code: 'OUTCOME_UNKNOWN' },
    })
    expect(runs).toBe(1)
    expect(settled).toEqual(['unknown'])
  })

  it.each<[string, unknown]>([
    ['ToolError.notApplied', ToolError.notApplied('card declined')],
    ['a refused connection', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })],
    ['an unknown host', Object.assign(new TypeError('fetch failed'), { cause: { code: 'ENOTFOUND' } })],
    [
      'a program that is not there',
      Object.assign(new Error('spawn'), { code: 'ENOENT', syscall: 'spawn foo' }),
    ],
    ['HTTP 404', Object.assign(new Error('not found'), { status: 404 })],
    ['HTTP 422 of another client', Object.assign(new Error('bad'), { statusCode: 422 })],
  ])('counts as failed after %s', async (_, thrown) => {
    const { settled, table } = await paying(() => {
      throw thrown
    })
    const first = await table.call('pay', { amount: 5 }, { callId: 'c' })
    expect(first).toMatchObject({ error: { code: 'TOOL_FAILED' } })
    expect(await table.call('pay', { amount: 5 }, { callId: 'c' })).toEqual(first)
    expect(settled).toEqual(['failed'])
  })

  it.each([408, 409, 429, 500, 503])('counts as unknown after HTTP %i', async (status) => {
    const { settled, table } = await paying(() =>
      Promise.reject(Object.assign(new Error('http'), { status })),
    )
    await table.call('pay', { amount: 5 })
    expect(settled).toEqual(['unknown'])
  })

  it.each<[string, unknown]>([
    ['ends in half of a surrogate pair', new Error('Could not post: 😀'.slice(0, -1))],
    ['is no text', Object.assign(new Error('x'), { message: { a: 1 } })],
    ['cannot be read', new Proxy(new Error('x'), { get: () => { throw new Error('no') } })],
  ])('counts as unknown when its message %s', async (_, thrown) => {
    const { table } = await paying(() => Promise.reject(thrown))
    expect(await table.call('pay', { amount: 5 }, { callId: 'c' })).toMatchObject({
      error: { code: 'TOOL_FAILED', message: expect.not.stringMatching(/\p{Surrogate}/u) },
    })
    expect(await table.call('pay', { amount: 5 }, { callId: 'c' })).toMatchObject({
      error: { code: 'OUTCOME_UNKNOWN' },
    })
  })

  it('tells the model nothing of an object that is no error', async () => {
    const thrown = { config: { headers: { Authorization: 'Bearer secret' } } }
    const { table } = await paying(() => Promise.reject(thrown))
    expect(JSON.stringify(await table.call('pay', { amount: 5 }))).not.toContain('secret')
  })

  it('throws the very error of the tool to the AI SDK', async () => {
    const thrown = new Error('mine')
    const { table } = await paying(() => Promise.reject(thrown))
    await expect(execute(table.tools.pay, { amount: 1 })).rejects.toBe(thrown)
  })
})

describe('what a record cannot hold', () => {
  it.each<[string, unknown]>([
    ['a date', { amount: new Date() }],
    ['a big integer', { amount: 10n }],
    ['half of a surrogate pair', { amount: '\ud800' }],
    ['a map', { amount: new Map() }],
    ['NaN', { amount: Number.NaN }],
  ])('%s in the input is refused', async (_, input) => {
    const runs: unknown[] = []
    const t = { inputSchema: z.any(), execute: (given: unknown) => void runs.push(given) }
    const toolgate = await quiet({ tools: { pay: t }, declare: guarded, config: named })
    const { tools } = await toolgate.table({ session: 's' })
    await expect((async () => execute(tools.pay, input))()).rejects.toMatchObject({
      envelope: { error: { code: 'INPUT_NOT_CANONICAL' } },
    })
    expect(runs).toEqual([])
  })

  it('an output that is not JSON is given once and then said to be lost', async () => {
    let runs = 0
    const { table } = await paying(() => ((runs += 1), { big: 10n }))
    expect(await table.call('pay', { amount: 1 }, { callId: 'c' })).toMatchObject({
      ok: true,
      output: { big: 10n },
    })
    expect(await table.call('pay', { amount: 1 }, { callId: 'c' })).toMatchObject({
      error: { code: 'OUTCOME_UNKNOWN' },
    })
    expect(runs).toBe(1)
  })
})

describe('a store', () => {
  it('that fails refuses the call before it runs', async () => {
    const { pay, paid } = payTool()
    const store = { ...methods(memoryStore()), read: () => Promise.reject(new Error('disk full')) }
    const toolgate = await quiet({ tools: { pay }, declare: guarded, config: named, store })
    const table = await toolgate.table({ session: 's' })
    expect(await table.call('pay', { amount: 1 })).toMatchObject({ error: { code: 'STORE_UNAVAILABLE' } })
    expect(paid).toEqual([])
  })

  it('that cannot be understood while the call ends leaves it unknown and not running', async () => {
    const store = memoryStore()
    let isGarbled = false
    const garbling = {
      ...methods(store),
      read: async (key: string) => {
        const stored = await store.read(key)
        if (!isGarbled) return stored
        isGarbled = false
        return { ...stored, record: 'garbled' }
      },
    }
    const pay = tool({ inputSchema: z.object({}), execute: () => void (isGarbled = true) })
    const toolgate = await quiet({ tools: { pay }, declare: guarded, config: named, store: garbling })
    const table = await toolgate.table({ session: 's' })
    expect(await table.call('pay', {}, { callId: 'c' })).toMatchObject({ ok: true })
    expect(await table.call('pay', {}, { callId: 'c' })).toMatchObject({
      error: { code: 'OUTCOME_UNKNOWN' },
    })
  })

  it('shared by two toolgates lets one of them run the call', async () => {
    const store = memoryStore()
    const { pay, paid } = payTool()
    const gates = await Promise.all(
      [1, 2].map(() => quiet({ tools: { pay }, declare: guarded, config: named, store })),
    )
    const tables = await Promise.all(gates.map((gate) => gate.table({ session: 's', turn: 't' })))
    await Promise.all(tables.map((table) => table.call('pay', { amount: 5 }, { callId: 'c' })))
    expect(paid).toEqual([5])
  })

  it('is missing with `store: false`, and guarded calls are refused with the reason', async () => {
    const { pay, paid } = payTool()
    const warnings: string[] = []
    const toolgate = await quiet({ tools: { pay }, store: false }, warnings)
    const table = await toolgate.table({ session: 's' })
    expect(await table.call('pay', { amount: 1 })).toMatchObject({
      error: {
        code: 'UNGUARDED_EFFECT',
        help: expect.stringContaining("declare: { pay: { effect: 'read' } }"),
      },
    })
    expect(paid).toEqual([])
    expect(warnings.join()).toContain('UNGUARDED_EFFECT')
  })
})

function methods(store: ReturnType<typeof memoryStore>) {
  return {
    leaseMs: store.leaseMs,
    read: store.read.bind(store),
    commit: store.commit.bind(store),
    list: store.list.bind(store),
    events: store.events.bind(store),
  }
}

function deferred<VALUE>(): { promise: Promise<VALUE>; resolve: (value: VALUE) => void } {
  let resolve: (value: VALUE) => void = () => {}
  const promise = new Promise<VALUE>((given) => {
    resolve = given
  })
  return { promise, resolve }
}
