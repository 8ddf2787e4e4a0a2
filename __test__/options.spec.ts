// What a developer writes wrong: a stable code, what was written, and what to do.

import { describe, expect, it } from 'vitest'
import { z } from 'zod'

import { createToolgate, memoryStore } from '../ts/index.ts'
import { payTool, quiet, readTool } from './support/gate.ts'

const { read } = readTool()
const tools = { read }
const declare = { read: { effect: 'read' } } as const

describe('createToolgate', () => {
  it.each<[string, object, string]>([
    ['a misspelled option', { tool: tools }, 'did you mean `tools`'],
    ['an option of no version', { frobnicate: 1 }, '`declare`'],
    ['a config of the wrong type', { config: 5 }, 'path'],
    ['an empty config path', { config: '' }, 'path'],
    ['a tool that is none', { tools: { read: 5 } }, 'defineTool'],
    ['a tool without a schema', { tools: { read: { execute: () => 1 } } }, 'defineTool'],
    ['a list of tools', { tools: [read] }, 'an object'],
    ['an effect that does not exist', { tools, declare: { read: { effect: 'raed' } } }, '`internal-write`'],
    [
      'a key of a declaration that does not exist',
      { tools, declare: { read: { efect: 'read' } } },
      'did you mean `effect`',
    ],
    [
      'a pattern that is no pointer',
      { tools, declare: { read: { permission: { pattern: 'path' } } } },
      'JSON pointer',
    ],
    [
      'a declaration of a tool that does not exist',
      { tools, declare: { raed: { effect: 'read' } } },
      'did you mean `read`',
    ],
    ['a glob that matches nothing', { tools, declare: { 'crm_*': { effect: 'read' } } }, '`read`'],
    ['an ask that is no function', { ask: true }, 'function'],
    ['a store that is none', { store: {} }, 'memoryStore()'],
    ['an empty secret', { secret: '' }, 'every instance'],
    ['a secret without bytes', { secret: new Uint8Array() }, 'every instance'],
    ['a listener of no event', { on: { 'call-refusd': () => {} } }, 'did you mean `call-refused`'],
    ['a listener that is no function', { on: { warning: 5 } }, 'function'],
    ['a reload that is no boolean', { reload: 'yes' }, '`true`'],
  ])('refuses %s', async (_, options, help) => {
    await expect(createToolgate(options)).rejects.toMatchObject({
      name: 'ToolgateError',
      code: 'OPTION_INVALID',
      help: expect.stringContaining(help),
    })
  })

  it('refuses a tool name that no provider takes, and names the source', async () => {
    await expect(quiet({ tools: { 'a b': read } })).rejects.toMatchObject({
      code: 'TOOL_NAME_ILLEGAL',
      message: expect.stringContaining('a b'),
    })
    await expect(quiet({ tools: { 42: read } })).rejects.toMatchObject({ code: 'TOOL_NAME_ILLEGAL' })
  })

  it('refuses a config with a key that does not exist', async () => {
    await expect(quiet({ tools, config: { permissions: {} } })).rejects.toMatchObject({
      code: 'CONFIG_UNKNOWN_KEY',
      help: expect.stringContaining('permission'),
    })
  })

  it('refuses a config that is not JSON', async () => {
    await expect(quiet({ tools, config: Object({ permission: 10n }) })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    })
  })

  it('takes no options at all', async () => {
    const toolgate = await createToolgate({})
    expect(Object.keys((await toolgate.table()).tools)).toEqual([])
  })

  it('lets a later glob count over an earlier one, and a name over both', async () => {
    const toolgate = await quiet({
      tools: { crm_read: read, crm_write: read, other: read },
      declare: {
        crm_write: { effect: 'destructive' },
        '*': { effect: 'external-write' },
        'crm_*': { effect: 'read' },
      },
    })
    const table = await toolgate.table({ session: 's' })
    expect(table.explain('crm_read').action).toBe('allow')
    expect(table.explain('crm_write')).toMatchObject({ action: 'ask' })
    expect(table.explain('other').action).toBe('ask')
  })
})

describe('table', () => {
  it.each<[string, object, string]>([
    ['a misspelled key', { sesion: 's' }, 'did you mean `session`'],
    ['an empty session', { session: '' }, 'not empty'],
    ['a session that is a number', { session: 5 }, 'text'],
    ['switches that are no booleans', { tools: { read: 'no' } }, '`true`'],
    ['flags that are no list', { flags: 'a' }, 'list'],
    ['a signal that is none', { abortSignal: {} }, 'AbortSignal'],
    ['a permission that is a list', { permission: [] }, 'an object'],
  ])('refuses %s', async (_, turn, help) => {
    const toolgate = await quiet({ tools, declare })
    await expect(toolgate.table(turn)).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      help: expect.stringContaining(help),
    })
  })

  it('refuses a rule of the session that is none', async () => {
    const toolgate = await quiet({ tools, declare })
    await expect(toolgate.table({ permission: Object({ read: 'maybe' }) })).rejects.toMatchObject({
      code: 'RULE_INVALID',
    })
  })

  it('refuses messages that are no list', async () => {
    const toolgate = await quiet({ tools, declare })
    const table = await toolgate.table()
    await expect(Reflect.apply(table.messages, undefined, [undefined])).rejects.toMatchObject({
      code: 'OPTION_INVALID',
    })
  })
})

describe('warnings at start', () => {
  it('list the undeclared tools in one line, with the line to paste', async () => {
    const heard: { message: string; help: string }[] = []
    const { pay } = payTool()
    await quiet({
      tools: { read, pay },
      store: memoryStore(),
      on: { warning: (warning) => void heard.push(warning) },
    })
    expect(heard).toHaveLength(1)
    expect(heard[0]?.message).toContain('`read`, `pay`')
    expect(heard[0]?.help).toContain("declare: { read: { effect: 'read' }, pay: { effect: 'read' } }")
  })

  it('say that calls are forgotten at exit when no store was given and something is guarded', async () => {
    const warnings: string[] = []
    const { pay } = payTool()
    await quiet({ tools: { pay }, declare: { pay: { effect: 'external-write' } } }, warnings)
    expect(warnings.join()).toContain('forgotten at exit')
  })

  it('are none for tools that only read', async () => {
    const warnings: string[] = []
    await quiet({ tools, declare }, warnings)
    expect(warnings).toEqual([])
  })
})

describe('an undeclared tool', () => {
  it('is refused in a script, and the refusal names the line to paste', async () => {
    const toolgate = await quiet({ tools: { t: { inputSchema: z.object({}), execute: () => 1 } } })
    const table = await toolgate.table({ session: 's' })
    expect(await table.call('t', {})).toMatchObject({
      error: {
        code: 'APPROVAL_REQUIRED',
        help: expect.stringContaining("declare: { t: { effect: 'read' } }"),
      },
    })
  })

  it('runs when a rule names it', async () => {
    const toolgate = await quiet({
      tools: { t: { inputSchema: z.object({}), execute: () => 1 } },
      config: { permission: { t: 'allow' } },
    })
    expect(await (await toolgate.table()).call('t', {})).toMatchObject({ ok: true, output: 1 })
  })

  it('does not run when only `*` allows', async () => {
    const toolgate = await quiet({
      tools: { t: { inputSchema: z.object({}), execute: () => 1 } },
      config: { permission: { '*': 'allow' } },
    })
    expect(await (await toolgate.table()).call('t', {})).toMatchObject({ ok: false })
  })
})
