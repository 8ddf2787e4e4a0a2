// Tools that the browser runs: the AI SDK hands their calls out instead of executing them.

import { asSchema, jsonSchema, tool, type ToolSet } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

import type { ToolgateOptions } from '../ts/index.ts'
import { Chat } from './support/chat.ts'
import { quiet } from './support/gate.ts'

const schemas = {
  zod: z.object({ to: z.string() }),
  jsonSchema: jsonSchema<{ to: string }>({ type: 'object', properties: { to: { type: 'string' } } }),
}
const open = { name: 'open', input: { to: '/admin' } }

async function browsing(options: Partial<ToolgateOptions<ToolSet>>, kind: keyof typeof schemas = 'zod') {
  const tools: ToolSet = {
    open: kind === 'zod' ? tool({ inputSchema: schemas.zod }) : tool({ inputSchema: schemas.jsonSchema }),
  }
  return quiet({
    tools,
    declare: { open: { effect: 'read', permission: { pattern: '/to' } } },
    ...options,
  })
}

describe('a call of a client tool', () => {
  it('is asked about in the browser, also when there is a callback', async () => {
    let questions = 0
    const toolgate = await browsing({
      config: { permission: { open: 'ask' } },
      ask: () => ((questions += 1), { decision: 'once' }),
    })
    const chat = new Chat(toolgate)
    await chat.send('open', [open])
    expect(chat.parts).toMatchObject([{ state: 'approval-requested' }])
    expect(questions).toBe(0)
  })

  it.each(['zod', 'jsonSchema'] as const)('does not reach the browser when it is denied (%s)', async (kind) => {
    const codes: string[] = []
    const toolgate = await browsing(
      {
        config: { permission: { open: { '*': 'allow', '/admin': 'deny' } } },
        on: { 'call-refused': ({ code }) => void codes.push(code) },
      },
      kind,
    )
    const chat = new Chat(toolgate)
    await chat.send('open', [open], 'as you like')
    expect(chat.parts.map(({ state }) => state)).not.toContain('input-available')
    expect(chat.parts).toMatchObject([{ state: 'output-error' }])
    expect(codes).toEqual(['PERMISSION_DENIED'])
  })

  it('does not reach the browser when nobody can be asked', async () => {
    const toolgate = await browsing({ config: { permission: { open: 'ask' } }, store: false })
    const chat = new Chat(toolgate)
    await chat.send('open', [open], 'as you like')
    expect(chat.parts).toMatchObject([{ state: 'output-error' }])
  })

  it('reaches the browser when it is allowed', async () => {
    const chat = new Chat(await browsing({ config: { permission: { open: 'allow' } } }))
    await chat.send('open', [open])
    expect(chat.parts).toMatchObject([{ state: 'input-available', input: { to: '/admin' } }])
  })

  it.each(['zod', 'jsonSchema'] as const)('is described to the model as without a gate (%s)', async (kind) => {
    const toolgate = await browsing({}, kind)
    const { tools } = await toolgate.table()
    const { inputSchema } = Object(tools['open'])
    expect(await asSchema(inputSchema).jsonSchema).toEqual(await asSchema(schemas[kind]).jsonSchema)
  })
})
