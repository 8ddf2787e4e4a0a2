// Inputs that change between the decision and the run.

import { jsonSchema } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

import { isAsyncIterable } from '../ts/last-of.ts'
import { execute, quiet } from './support/gate.ts'

const config = { permission: { t: { '*': 'allow', '/etc/*': 'deny' } } } as const

/** A tool that rules know by its path. */
async function reading(effect: 'read' | 'external-write', run: (input: unknown) => unknown, more: object = {}) {
  const t = { inputSchema: z.object({ path: z.string() }), execute: run }
  const toolgate = await quiet({
    tools: { t },
    declare: { t: { effect, permission: { pattern: '/path' } } },
    config,
    ...more,
  })
  const { tools } = await toolgate.table({ session: 's', turn: 't' })
  return tools.t
}

describe('an input that changes after it was decided about', () => {
  it('runs a guarded call as it was', async () => {
    const seen: unknown[] = []
    const t = await reading('external-write', (input) => void seen.push(input))
    const input = { path: 'a' }
    const running = execute(t, input)
    input.path = '/etc/passwd'
    await running
    expect(seen).toEqual([{ path: 'a' }])
  })

  it('runs a guarded stream as it was, also when it is read later', async () => {
    const t = await reading('external-write', async function* (input) {
      yield input
    })
    const input = { path: 'a' }
    const stream = execute(t, input)
    input.path = '/etc/passwd'
    if (!isAsyncIterable(stream)) throw new Error('no stream')
    const seen: unknown[] = []
    for await (const part of stream) seen.push(part)
    expect(seen).toEqual([{ path: 'a' }])
  })

  it('runs an asked call as the person saw it', async () => {
    const seen: unknown[] = []
    const shown: unknown[] = []
    const input = { path: 'a' }
    const ask = (question: { input: unknown }) => {
      shown.push(question.input)
      return { decision: 'once' }
    }
    const asking = { ask, config: { permission: { t: { '*': 'ask', '/etc/*': 'deny' } } } }
    const running = execute(await reading('read', (given) => void seen.push(given), asking), input)
    input.path = '/etc/passwd'
    await running
    expect([shown, seen]).toEqual([[{ path: 'a' }], [{ path: 'a' }]])
  })

  it('is refused when it answers differently each time', async () => {
    const seen: unknown[] = []
    const t = await reading('external-write', (input) => void seen.push(input))
    let reads = 0
    const input = Object.defineProperty({}, 'path', {
      enumerable: true,
      get: () => ((reads += 1) > 1 ? '/etc/passwd' : 'a'),
    })
    await expect((async () => execute(t, input))()).rejects.toMatchObject({
      envelope: { error: { code: 'INPUT_NOT_CANONICAL' } },
    })
    expect(seen).toEqual([])
  })

  it('is checked against its schema again where a record is kept', async () => {
    const seen: unknown[] = []
    const inputSchema = jsonSchema({ type: 'object', properties: { n: { type: 'integer', maximum: 5 } } })
    const t = { inputSchema, execute: (input: unknown) => void seen.push(input) }
    const toolgate = await quiet({
      tools: { t },
      declare: { t: { effect: 'external-write' } },
      config: { permission: { t: 'allow' } },
    })
    const { tools } = await toolgate.table({ session: 's' })
    const input = { n: 1 }
    const { validate } = Object(tools.t.inputSchema)
    expect(await validate(input)).toMatchObject({ success: true })
    input.n = 1000
    await expect((async () => execute(tools.t, input))()).rejects.toMatchObject({
      envelope: { error: { code: 'INPUT_INVALID' } },
    })
    expect(seen).toEqual([])
  })
})
