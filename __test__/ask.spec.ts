// The `ask` callback: what an answer does, and what is no answer.

import { jsonSchema, tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

import { defineTool, memoryStore, type Ask, type Question } from '../ts/index.ts'
import type { Store } from '../ts/store.ts'
import { payTool, quiet, readTool } from './support/gate.ts'

async function asking(ask: unknown, effect: 'read' | 'external-write' | 'destructive' = 'external-write') {
  const { pay, paid } = payTool()
  const questions: Question[] = []
  const isAsk = (value: unknown): value is Ask => typeof value === 'function'
  const toolgate = await quiet({
    tools: { pay },
    declare: { pay: { effect, permission: { pattern: '/amount' } } },
    config: { permission: { pay: [{ action: 'ask' }, { pattern: '666', action: 'deny' }] } },
    ask: async (question, options) => {
      questions.push(question)
      if (isAsk(ask)) return ask(question, options)
      return Object(ask)
    },
  })
  return { toolgate, table: await toolgate.table({ session: 's' }), paid, questions }
}

describe('once', () => {
  it('runs the call', async () => {
    const { table, paid } = await asking({ decision: 'once' })
    expect(await table.call('pay', { amount: 5 })).toEqual({
      ok: true,
      output: { receipt: 'paid 5' },
      meta: {},
    })
    expect(paid).toEqual([5])
  })

  it('is asked for every call', async () => {
    const { table, questions } = await asking({ decision: 'once' })
    await table.call('pay', { amount: 5 })
    await table.call('pay', { amount: 5 })
    expect(questions).toHaveLength(2)
  })

  it('is asked in an input of its own, which the callback cannot change', async () => {
    const { table, paid } = await asking((question: Question) => {
      Object.assign(Object(question.input), { amount: 1_000 })
      return { decision: 'once' }
    })
    await table.call('pay', { amount: 5 })
    expect(paid).toEqual([5])
  })

  it('is asked about resources of its own, which neither the callback nor a listener can change', async () => {
    const list = ['a']
    const seen: Question[] = []
    const runs: unknown[] = []
    const spoil = (question: Question): void => {
      for (const part of [question.resources, question.input, question.rule]) {
        Object.assign(Object(part), { 0: 'b', list: ['b'], origin: 'b' })
      }
    }
    const work = tool({
      inputSchema: z.object({ list: z.array(z.string()) }),
      execute: (input) => void runs.push(structuredClone(input)),
    })
    const toolgate = await quiet({
      tools: { work },
      declare: { work: { effect: 'external-write', permission: { pattern: () => list } } },
      config: { permission: { work: 'ask' } },
      on: { 'question-asked': ({ question }) => spoil(question) },
      ask: (question) => {
        seen.push(structuredClone(question))
        spoil(question)
        return { decision: 'always' }
      },
    })
    const table = await toolgate.table({ session: 's' })
    await table.call('work', { list: ['a'] })
    expect(seen).toMatchObject([{ resources: ['a'], input: { list: ['a'] }, rule: { pattern: '*' } }])
    expect(seen[0]?.rule?.origin).not.toBe('b')
    expect(runs).toEqual([{ list: ['a'] }])
    expect(list).toEqual(['a'])
    list[0] = 'b'
    await table.call('work', { list: ['b'] })
    expect(seen).toHaveLength(2)
  })

  it('does not let a question change what the next call touches', async () => {
    const { pay } = payTool()
    const seen: Question[] = []
    const toolgate = await quiet({
      tools: { pay },
      ask: (question) => {
        seen.push(structuredClone(question))
        Object.assign(question.resources, { 0: 'b' })
        return { decision: 'once' }
      },
    })
    const table = await toolgate.table({ session: 's' })
    await table.call('pay', { amount: 1 })
    await table.call('pay', { amount: 1 })
    expect(seen).toMatchObject([{ resources: ['*'] }, { resources: ['*'] }])
  })

  it('shows what the call is about', async () => {
    const { table, questions } = await asking({ decision: 'once' })
    await table.call('pay', { amount: 5 }, { callId: 'c1' })
    expect(questions[0]).toMatchObject({
      tool: 'pay',
      callId: 'c1',
      input: { amount: 5 },
      resources: ['5'],
      effect: 'external-write',
      session: 's',
      depth: 0,
      mayAlways: true,
      proposals: [],
    })
    expect(questions[0]?.rule?.action).toBe('ask')
    expect(questions[0]?.reason).not.toBe('')
    expect(questions[0]?.inputHash).toMatch(/^[0-9a-f]{64}$/)
  })
})

describe('always', () => {
  it('is not asked again in this session for the same resource', async () => {
    const { table, toolgate, questions, paid } = await asking({ decision: 'always' })
    await table.call('pay', { amount: 5 })
    const again = await toolgate.table({ session: 's' })
    await again.call('pay', { amount: 5 })
    expect(questions).toHaveLength(1)
    expect(paid).toEqual([5, 5])
  })

  it('is asked again for another resource', async () => {
    const { table, questions } = await asking({ decision: 'always' })
    await table.call('pay', { amount: 5 })
    await table.call('pay', { amount: 6 })
    expect(questions).toHaveLength(2)
  })

  it('is asked again in another session', async () => {
    const { table, toolgate, questions } = await asking({ decision: 'always' })
    await table.call('pay', { amount: 5 })
    await (await toolgate.table({ session: 'other' })).call('pay', { amount: 5 })
    expect(questions).toHaveLength(2)
  })

  it('never lifts a deny', async () => {
    const { table, toolgate, paid } = await asking({ decision: 'always' })
    await table.call('pay', { amount: 5 })
    const later = await toolgate.table({
      session: 's',
      permission: { pay: [{ pattern: '5', action: 'deny' }] },
    })
    expect(await later.call('pay', { amount: 5 })).toMatchObject({
      ok: false,
      error: { code: 'PERMISSION_DENIED' },
    })
    expect(paid).toEqual([5])
  })

  it('counts as once for what cannot be undone, and the question says so', async () => {
    const { table, questions } = await asking({ decision: 'always' }, 'destructive')
    await table.call('pay', { amount: 5 })
    await table.call('pay', { amount: 5 })
    expect(questions.map(({ mayAlways }) => mayAlways)).toEqual([false, false])
  })
})

describe('always, under another rule', () => {
  async function strict() {
    const { pay, paid } = payTool()
    const amounts: unknown[] = []
    const toolgate = await quiet({
      tools: { pay },
      declare: { pay: { effect: 'external-write' } },
      config: {
        permission: {
          pay: [{ action: 'ask' }, { when: { 'input.amount': { exclusiveMinimum: 1000 } }, action: 'ask' }],
        },
        roles: { clerk: { permission: { other: 'ask' } } },
      },
      ask: ({ input, mayAlways }) => {
        amounts.push({ input, mayAlways })
        return { decision: 'always' }
      },
    })
    return { toolgate, paid, amounts }
  }

  it('does not answer a stricter rule that a condition brings in', async () => {
    const { toolgate, amounts, paid } = await strict()
    const table = await toolgate.table({ session: 's' })
    for (const amount of [5, 6, 5000, 5000]) await table.call('pay', { amount })
    expect(amounts).toEqual([
      { input: { amount: 5 }, mayAlways: true },
      { input: { amount: 5000 }, mayAlways: false },
      { input: { amount: 5000 }, mayAlways: false },
    ])
    expect(paid).toEqual([5, 6, 5000, 5000])
  })

  it.each([
    ['another rule', { permission: { pay: 'ask' } }],
    ['another role', { role: 'clerk' }],
  ] as const)('is asked again under %s of the same session', async (_, turn) => {
    const { toolgate, amounts } = await strict()
    const first = await toolgate.table({ session: 's' })
    await first.call('pay', { amount: 5 })
    const second = await toolgate.table({ session: 's', ...turn })
    await second.call('pay', { amount: 5 })
    await second.call('pay', { amount: 5 })
    expect(amounts).toHaveLength(2)
  })
})

describe('reject', () => {
  it('does not run the call, and the message reaches the model', async () => {
    const { table, paid } = await asking({ decision: 'reject', message: 'use the other account' })
    const envelope = await table.call('pay', { amount: 5 })
    expect(envelope).toMatchObject({
      ok: false,
      error: { code: 'APPROVAL_REJECTED', message: expect.stringContaining('use the other account') },
    })
    expect(paid).toEqual([])
  })

  it('bounds a very long message', async () => {
    const { table } = await asking({ decision: 'reject', message: 'x'.repeat(100_000) })
    const envelope = await table.call('pay', { amount: 5 })
    expect(envelope.ok ? '' : envelope.error.message.length).toBeLessThan(1_200)
  })

  it('is remembered for this call and not asked again', async () => {
    const { table, questions } = await asking({ decision: 'reject' })
    await table.call('pay', { amount: 5 }, { callId: 'c' })
    expect(await table.call('pay', { amount: 5 }, { callId: 'c' })).toMatchObject({
      error: { code: 'APPROVAL_REJECTED' },
    })
    expect(questions).toHaveLength(1)
  })
})

describe('a rejection whose message cannot be recorded', () => {
  const yesAfter = (message: string): Ask => {
    let times = 0
    return () => ((times += 1) === 1 ? { decision: 'reject', message } : { decision: 'once' })
  }

  it.each([
    ['half of a surrogate pair', 'no \ud83d', memoryStore()],
    ['a store that does not take it', 'unspeakable', silentStore()],
  ])('still stands: %s', async (_, message, store) => {
    const { pay, paid } = payTool()
    const toolgate = await quiet({ tools: { pay }, store, ask: yesAfter(message) })
    const table = await toolgate.table({ session: 's' })
    for (let times = 0; times < 2; times += 1) {
      expect(await table.call('pay', { amount: 5 }, { callId: 'c' })).toMatchObject({
        ok: false,
        error: { code: 'APPROVAL_REJECTED' },
      })
    }
    expect(paid).toEqual([])
  })

  /** Fails where something was said. */
  function silentStore(): Store {
    const store = memoryStore()
    return {
      ...store,
      read: (key) => store.read(key),
      commit: async (write) => {
        if (JSON.stringify(write).includes('unspeakable')) throw new Error('too long')
        return store.commit(write)
      },
    }
  }
})

describe('edit', () => {
  it('runs the call with the changed input', async () => {
    const { table, paid } = await asking({ decision: 'edit', input: { amount: 3 } })
    expect(await table.call('pay', { amount: 5 })).toMatchObject({ ok: true, output: { receipt: 'paid 3' } })
    expect(paid).toEqual([3])
  })

  it('does not ask again about the changed input', async () => {
    const { table, questions } = await asking({ decision: 'edit', input: { amount: 3 } })
    await table.call('pay', { amount: 5 })
    expect(questions).toHaveLength(1)
  })

  it('is stopped by a deny', async () => {
    const { table, paid } = await asking({ decision: 'edit', input: { amount: 666 } })
    expect(await table.call('pay', { amount: 5 })).toMatchObject({ error: { code: 'PERMISSION_DENIED' } })
    expect(paid).toEqual([])
  })

  it('is stopped by the parser of the tool', async () => {
    const { table, paid } = await asking({ decision: 'edit', input: { amount: 'lots' } })
    expect(await table.call('pay', { amount: 5 })).toMatchObject({ error: { code: 'INPUT_INVALID' } })
    expect(paid).toEqual([])
  })

  it('is stopped by a JSON Schema', async () => {
    const runs: unknown[] = []
    const schema = jsonSchema({ type: 'object', properties: { n: { type: 'number' } }, required: ['n'] })
    const t = { inputSchema: schema, execute: (input: unknown) => void runs.push(input) }
    const toolgate = await quiet({
      tools: { t },
      declare: { t: { effect: 'external-write' } },
      ask: () => ({ decision: 'edit', input: { n: 'x' } }),
    })
    const table = await toolgate.table()
    expect(await table.call('t', { n: 1 })).toMatchObject({ error: { code: 'INPUT_INVALID' } })
    expect(runs).toEqual([])
  })

  it('is replayed for the input of the model', async () => {
    const { table, paid } = await asking({ decision: 'edit', input: { amount: 3 } })
    await table.call('pay', { amount: 5 }, { callId: 'c' })
    expect(await table.call('pay', { amount: 5 }, { callId: 'c' })).toEqual({
      ok: true,
      output: { receipt: 'paid 3' },
      meta: { replayed: true },
    })
    expect(paid).toEqual([3])
  })
})

describe('what is no answer', () => {
  const garbage: [string, unknown][] = [
    ['nothing', undefined],
    ['null', null],
    ['true', true],
    ['a word', 'once'],
    ['an unknown decision', { decision: 'allow' }],
    ['another case', { decision: 'Once' }],
    ['a key too many', { decision: 'once', input: { amount: 1 } }],
    ['an edit without an input', { decision: 'edit' }],
    ['a list', [{ decision: 'once' }]],
    ['an inherited decision', Object.create({ decision: 'once' })],
  ]

  it.each(garbage)('%s refuses', async (_, answer) => {
    const { table, paid } = await asking(() => answer)
    expect(await table.call('pay', { amount: 5 })).toMatchObject({
      ok: false,
      error: { code: 'APPROVAL_REJECTED' },
    })
    expect(paid).toEqual([])
  })

  it('a callback that throws refuses, and only the operator reads what it said', async () => {
    const { table, paid } = await asking(() => {
      throw new Error('postgres://user:secret@db')
    })
    const warnings: string[] = []
    table.on('warning', ({ message }) => warnings.push(message))
    const answers: unknown[] = []
    table.on('question-answered', ({ message }) => answers.push(message))
    expect(await table.call('pay', { amount: 5 })).toMatchObject({
      error: { code: 'APPROVAL_REJECTED', message: '`pay` did not run: the question could not be asked' },
    })
    expect(warnings).toEqual([expect.stringContaining('postgres://user:secret@db')])
    expect(answers).toEqual(['the question could not be asked'])
    expect(paid).toEqual([])
  })

  it('a callback that throws something that is no error refuses', async () => {
    const cyclic: Record<string, unknown> = {}
    cyclic['self'] = cyclic
    const { table } = await asking(() => Promise.reject(cyclic))
    expect(await table.call('pay', { amount: 5 })).toMatchObject({ error: { code: 'APPROVAL_REJECTED' } })
  })
})

describe('an abort', () => {
  it('while asking cancels the question and the call', async () => {
    const controller = new AbortController()
    let seen: AbortSignal | undefined
    const { table, paid } = await asking((_: Question, { signal }: { signal: AbortSignal }) => {
      seen = signal
      controller.abort()
      return new Promise(() => {})
    })
    const envelope = await table.call('pay', { amount: 5 }, { abortSignal: controller.signal })
    expect(envelope).toMatchObject({ error: { code: 'CALL_ABORTED' } })
    expect(seen?.aborted).toBe(true)
    expect(paid).toEqual([])
  })

  it('before asking asks nobody', async () => {
    const { table, questions } = await asking({ decision: 'once' })
    const envelope = await table.call('pay', { amount: 5 }, { abortSignal: AbortSignal.abort() })
    expect(envelope).toMatchObject({ error: { code: 'CALL_ABORTED' } })
    expect(questions).toEqual([])
  })

  it('of the table counts where the call brings no signal', async () => {
    const controller = new AbortController()
    const { toolgate } = await asking(() => {
      controller.abort()
      return new Promise(() => {})
    })
    const table = await toolgate.table({ abortSignal: controller.signal })
    expect(await table.call('pay', { amount: 5 })).toMatchObject({ error: { code: 'CALL_ABORTED' } })
  })
})

describe('ctx.ask()', () => {
  const careful = (reason?: string) =>
    defineTool({
      inputSchema: z.object({}),
      effect: 'read',
      execute: async (_, { ask }) => {
        await ask(reason === undefined ? undefined : { reason })
        return 'went on'
      },
    })

  it('goes on when a person says yes', async () => {
    const reasons: string[] = []
    const toolgate = await quiet({
      tools: { careful: careful('sure?') },
      ask: ({ reason }) => (reasons.push(reason), { decision: 'once' }),
    })
    const table = await toolgate.table()
    expect(await table.call('careful', {})).toMatchObject({ output: 'went on' })
    expect(reasons).toEqual(['sure?'])
  })

  it('stops the tool when a person says no', async () => {
    const toolgate = await quiet({
      tools: { careful: careful() },
      ask: () => ({ decision: 'reject', message: 'stop' }),
    })
    const table = await toolgate.table()
    expect(await table.call('careful', {})).toMatchObject({ error: { code: 'APPROVAL_REJECTED' } })
  })

  it('names the fix where nobody can be asked', async () => {
    const toolgate = await quiet({ tools: { careful: careful() } })
    const table = await toolgate.table({ session: 's' })
    expect(await table.call('careful', {})).toMatchObject({
      error: { code: 'APPROVAL_REQUIRED', help: expect.stringContaining('`ask`') },
    })
  })
})

describe('parallel questions', () => {
  it('about the same input are each asked', async () => {
    const { table, questions, paid } = await asking({ decision: 'once' })
    await Promise.all([table.call('pay', { amount: 5 }), table.call('pay', { amount: 5 })])
    expect(questions).toHaveLength(2)
    expect(paid).toEqual([5, 5])
  })

  it('about the same call are one question', async () => {
    const { table, questions, paid } = await asking({ decision: 'once' })
    const call = () => table.call('pay', { amount: 5 }, { callId: 'c' })
    const [first, second] = await Promise.all([call(), call()])
    expect(questions).toHaveLength(1)
    expect(paid).toEqual([5])
    expect([first, second]).toEqual([
      { ok: true, output: { receipt: 'paid 5' }, meta: {} },
      { ok: true, output: { receipt: 'paid 5' }, meta: { replayed: true } },
    ])
  })
})

describe('without a store', () => {
  it('a tool that guards nothing may still be asked about', async () => {
    const { read, asked } = readTool()
    const toolgate = await quiet({
      tools: { read },
      declare: { read: { effect: 'read' } },
      config: { permission: { read: 'ask' } },
      store: false,
      ask: () => ({ decision: 'once' }),
    })
    const table = await toolgate.table()
    expect(await table.call('read', { path: 'a' })).toMatchObject({ ok: true })
    expect(asked).toEqual(['a'])
  })

  it('a guarded call is refused, however it is asked', async () => {
    const { pay, paid } = payTool()
    const toolgate = await quiet({
      tools: { pay },
      declare: { pay: { effect: 'external-write' } },
      config: { permission: { pay: 'allow' } },
      store: false,
      ask: () => ({ decision: 'once' }),
    })
    const table = await toolgate.table({ session: 's' })
    expect(await table.call('pay', { amount: 1 })).toMatchObject({ error: { code: 'UNGUARDED_EFFECT' } })
    expect(paid).toEqual([])
  })
})

it('a tool of the SDK with `tool()` is asked about like any other', async () => {
  const t = tool({ inputSchema: z.object({}), execute: async () => 'ran' })
  const toolgate = await quiet({ tools: { t }, ask: () => ({ decision: 'once' }) })
  const table = await toolgate.table()
  expect(await table.call('t', {})).toMatchObject({ output: 'ran' })
})

describe('always, where a call touches more than can be read', () => {
  it('answers only calls whose resources can all be read', async () => {
    const asked: (readonly string[])[] = []
    const ran: unknown[] = []
    const toolgate = await quiet({
      tools: {
        touch: tool({ inputSchema: z.object({ ids: z.any() }), execute: async ({ ids }) => void ran.push(ids) }),
      },
      declare: { touch: { effect: 'internal-write', permission: { pattern: '/ids' } } },
      config: { permission: 'ask' },
      ask: async ({ resources }) => {
        asked.push(resources)
        return asked.length === 1 ? { decision: 'always' } : { decision: 'reject' }
      },
    })
    const table = await toolgate.table({ session: 's' })
    await table.call('touch', { ids: ['a'] })
    await table.call('touch', { ids: ['a'] })
    const more = await table.call('touch', { ids: ['a', { other: 'b' }] })
    expect(more).toMatchObject({ ok: false, error: { code: 'APPROVAL_REJECTED' } })
    expect(asked).toEqual([['a'], []])
    expect(ran).toEqual([['a'], ['a']])
  })
})

describe('an edit of an input that the schema transforms', () => {
  const seen: number[] = []
  const askFor = async (amount: z.ZodType<number>) => {
    seen.length = 0
    const toolgate = await quiet({
      tools: {
        pay: tool({
          inputSchema: z.object({ amount }),
          execute: async (input) => void seen.push(input.amount),
        }),
      },
      declare: { pay: { effect: 'external-write' } },
      config: { permission: 'ask' },
      ask: async () => ({ decision: 'edit', input: { amount: 400 } }),
    })
    const table = await toolgate.table({ session: 's' })
    return table.call('pay', { amount: 5 })
  }

  it('is refused, because it would be transformed twice', async () => {
    const refused = await askFor(z.number().transform((cents) => cents * 100))
    expect(refused).toMatchObject({ ok: false, error: { code: 'APPROVAL_REJECTED' } })
    expect(seen).toEqual([])
  })

  it('runs where the second reading changes nothing', async () => {
    expect(await askFor(z.coerce.number())).toMatchObject({ ok: true })
    expect(seen).toEqual([400])
  })
})
