// Tools that give their result in parts.

import { stepCountIs, streamText, tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

import { defineTool } from '../ts/index.ts'
import { isAsyncIterable } from '../ts/last-of.ts'
import { execute, quiet } from './support/gate.ts'
import { scripted } from './support/model.ts'

const inputSchema = z.object({ to: z.number() })

async function* count({ to }: { to: number }) {
  for (let n = 1; n <= to; n += 1) yield n
}

const allow = { permission: { count: 'allow' } } as const

/** The parts of the tool result that a consumer of the stream sees; the last one is the final one. */
async function partsOf(tools: { count: { inputSchema: unknown } }, effect: 'read' | 'external-write') {
  const toolgate = await quiet({ tools, config: allow, declare: { count: { effect } } })
  const table = await toolgate.table({ session: 's' })
  const { model } = scripted([{ name: 'count', input: { to: 3 } }])
  const result = streamText({ model, prompt: 'go', ...Object(table.settings), stopWhen: stepCountIs(2) })
  const parts: unknown[] = []
  for await (const part of result.fullStream) {
    if (part.type === 'tool-result') parts.push([part.output, part.preliminary ?? false])
    if (part.type === 'tool-error') parts.push(part.error)
  }
  return parts
}

const streamed = [
  [1, true],
  [2, true],
  [3, true],
  [3, false],
]

describe('a tool that streams', () => {
  it('keeps streaming when its calls are plain', async () => {
    expect(await partsOf({ count: tool({ inputSchema, execute: count }) }, 'read')).toEqual(streamed)
  })

  it('keeps streaming when its calls are guarded', async () => {
    expect(await partsOf({ count: tool({ inputSchema, execute: count }) }, 'external-write')).toEqual(streamed)
  })

  it('keeps streaming when `defineTool` made it', async () => {
    const defined = defineTool({ inputSchema, execute: count })
    expect(await partsOf({ count: defined }, 'read')).toEqual(streamed)
    expect(await partsOf({ count: defined }, 'external-write')).toEqual(streamed)
  })

  it('keeps streaming when it is declared to, although its function is an ordinary one', async () => {
    const defined = defineTool({ inputSchema, streaming: true, execute: (input) => count(input) })
    expect(await partsOf({ count: defined }, 'external-write')).toEqual(streamed)
  })

  it('gives the last part when it promised an iterable and its calls are guarded', async () => {
    const promised = { inputSchema, execute: async (input: { to: number }) => count(input) }
    expect(await partsOf({ count: promised }, 'external-write')).toEqual([[3, false]])
  })

  it('gives the last part to `table.call`', async () => {
    const toolgate = await quiet({ tools: { count: tool({ inputSchema, execute: count }) }, declare: { count: { effect: 'read' } } })
    const table = await toolgate.table()
    expect(await table.call('count', { to: 4 })).toEqual({ ok: true, output: 4, meta: {} })
  })

  it('counts as unknown when it is guarded and somebody stops listening', async () => {
    const settled: string[] = []
    const toolgate = await quiet({
      tools: { count: tool({ inputSchema, execute: count }) },
      config: allow,
      declare: { count: { effect: 'external-write' } },
      on: { 'call-settled': ({ outcome }) => void settled.push(outcome) },
    })
    const { tools } = await toolgate.table({ session: 's' })
    const parts = execute(tools.count, { to: 9 })
    if (!isAsyncIterable(parts)) throw new Error('not streaming')
    for await (const part of parts) if (part === 2) break
    expect(settled).toEqual(['unknown'])
  })
})
