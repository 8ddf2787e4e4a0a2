// What a table shows and says: visibility, reasons, calls by name, children, shadow runs, events.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

import { createUIMessageStream, readUIMessageStream } from 'ai'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'

import { defineTool } from '../ts/index.ts'
import { payTool, quiet, readTool } from './support/gate.ts'

const { read } = readTool()
const tools = { read, note: read, refund: read }
const declare = {
  read: { effect: 'read' },
  note: { effect: 'internal-write' },
  refund: { effect: 'external-write', category: 'billing' },
} as const

describe('hidden', () => {
  it('names the tools that a rule keeps away, and why', async () => {
    const toolgate = await quiet({ tools, declare, config: { permission: { note: 'deny' } } })
    const table = await toolgate.table()
    expect(Object.keys(table.tools)).toEqual(['read', 'refund'])
    expect(table.hidden).toMatchObject([
      { name: 'note', layer: 'seal', reason: expect.stringContaining('den') },
    ])
  })

  it('keeps a tool in the table that only some calls are denied of', async () => {
    const toolgate = await quiet({
      tools,
      declare,
      config: { permission: { read: { '*': 'allow', '*.key': 'deny' } } },
    })
    expect(Object.keys((await toolgate.table()).tools)).toContain('read')
  })

  it('says nothing of what the tenant has not enabled', async () => {
    const config = { toolsets: { basic: ['docs'] }, tenants: { acme: { toolsets: ['basic'] } } }
    const docs = { category: 'docs' } as const
    const toolgate = await quiet({
      tools,
      config,
      declare: { ...declare, read: { effect: 'read', ...docs }, note: { effect: 'internal-write', ...docs } },
    })
    const table = await toolgate.table({ tenant: 'acme' })
    expect(Object.keys(table.tools)).toEqual(['read', 'note'])
    expect(table.hidden).toEqual([])
    expect(await table.call('refund', {})).toMatchObject({ error: { code: 'TOOL_UNKNOWN' } })
    expect(table.explain('refund').text).toBe(table.explain('refunx').text.replace('refunx', 'refund'))
  })
})

describe('explain', () => {
  it('names the rule and where it stands', async () => {
    const toolgate = await quiet({ tools, declare, config: { permission: { note: 'ask' } } })
    const { action, rule, text } = (await toolgate.table()).explain('note')
    expect(action).toBe('ask')
    expect(rule).toMatchObject({
      permission: 'note',
      pattern: '*',
      action: 'ask',
      origin: expect.stringContaining('config'),
    })
    expect(text).not.toBe('')
  })

  it('of one call looks at what the call touches', async () => {
    const toolgate = await quiet({
      tools,
      declare: { ...declare, read: { effect: 'read', permission: { pattern: '/path' } } },
      config: { permission: { read: { '*': 'allow', '*.key': 'deny' } } },
    })
    const table = await toolgate.table()
    expect(table.explain('read', { path: 'a.txt' }).action).toBe('allow')
    expect(table.explain('read', { path: 'a.key' })).toMatchObject({
      action: 'deny',
      code: 'PERMISSION_DENIED',
    })
  })

  it('of a name that does not exist says that', async () => {
    const toolgate = await quiet({ tools, declare })
    const table = await toolgate.table()
    for (const name of ['nope', 'constructor', '__proto__', '']) {
      expect(table.explain(name)).toMatchObject({ action: 'deny', code: 'TOOL_UNKNOWN' })
    }
  })
})

describe('call', () => {
  it('gives an envelope for a tool that does not exist, and names no other', async () => {
    const toolgate = await quiet({ tools, declare })
    const table = await toolgate.table()
    for (const name of ['nope', 'constructor', '__proto__', 'toString']) {
      const envelope = await table.call(name, {})
      expect(envelope).toMatchObject({ ok: false, error: { code: 'TOOL_UNKNOWN' } })
      expect(JSON.stringify(envelope)).not.toContain('refund')
    }
  })

  it('says the same of a hidden tool', async () => {
    const toolgate = await quiet({ tools, declare, config: { permission: { refund: 'deny' } } })
    const table = await toolgate.table()
    const hidden = await table.call('refund', {})
    const absent = await table.call('refunx', {})
    expect(JSON.stringify(hidden).replaceAll('refund', '')).toBe(
      JSON.stringify(absent).replaceAll('refunx', ''),
    )
  })

  it('gives the failure of a tool as an envelope', async () => {
    const t = { inputSchema: z.object({}), execute: () => Promise.reject(new Error('no network')) }
    const toolgate = await quiet({ tools: { t }, declare: { t: { effect: 'read' } } })
    expect(await (await toolgate.table()).call('t', {})).toEqual({
      ok: false,
      error: { code: 'TOOL_FAILED', message: 'no network', retryable: false },
    })
  })

  it('refuses an option that it does not know', async () => {
    const toolgate = await quiet({ tools, declare })
    const table = await toolgate.table()
    await expect(table.call('read', { path: 'a' }, Object({ callID: 'c' }))).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      help: expect.stringContaining('callId'),
    })
  })
})

describe('a turn', () => {
  it('switches tools off for one request', async () => {
    const toolgate = await quiet({ tools, declare })
    const table = await toolgate.table({ tools: { read: false } })
    expect(Object.keys(table.tools)).not.toContain('read')
    expect(Object.keys((await toolgate.table()).tools)).toContain('read')
  })

  it('cannot switch on what a rule denies', async () => {
    const toolgate = await quiet({ tools, declare, config: { permission: { read: 'deny' } } })
    const table = await toolgate.table({ tools: { read: true } })
    expect(Object.keys(table.tools)).not.toContain('read')
  })

  it('brings rules of its own, for its own table only', async () => {
    const toolgate = await quiet({ tools, declare })
    const table = await toolgate.table({ permission: { read: 'ask' } })
    expect(table.explain('read').action).toBe('ask')
    expect((await toolgate.table()).explain('read').action).toBe('allow')
  })

  it('uses the rules of its role', async () => {
    const config = {
      permission: { note: 'ask' },
      roles: { editor: { permission: { note: 'allow' } } },
    } as const
    const toolgate = await quiet({ tools, declare, config })
    expect((await toolgate.table({ role: 'editor' })).explain('note').action).toBe('allow')
    expect((await toolgate.table()).explain('note').action).toBe('ask')
  })

  it('with a role that does not exist is an error', async () => {
    const toolgate = await quiet({ tools, declare, config: { roles: { editor: {} } } })
    await expect(toolgate.table({ role: 'edtor' })).rejects.toMatchObject({ code: 'ROLE_UNKNOWN' })
  })

  it('takes a model as text and as the object of the SDK', async () => {
    const toolgate = await quiet({ tools, declare })
    await toolgate.table({ model: 'anthropic/claude' })
    await toolgate.table({ model: { provider: 'openai.chat', modelId: 'gpt' } })
    await expect(toolgate.table({ model: Object(5) })).rejects.toMatchObject({ code: 'OPTION_INVALID' })
  })
})

describe('a session', () => {
  it('belongs to the principal who used it first', async () => {
    const toolgate = await quiet({ tools, declare })
    await toolgate.table({ session: 's', principal: 'ann' })
    await toolgate.table({ session: 's', principal: 'ann' })
    await expect(toolgate.table({ session: 's', principal: 'eve' })).rejects.toMatchObject({
      code: 'SESSION_FOREIGN',
    })
    await expect(toolgate.table({ session: 's' })).rejects.toMatchObject({ code: 'SESSION_FOREIGN' })
  })

  it('does not belong to whoever failed to get a table', async () => {
    const toolgate = await quiet({ tools, declare })
    await expect(toolgate.table(Object({ session: 's', principal: 'eve', permission: { read: 'dney' } }))).rejects.toThrow(/dney/)
    await expect(toolgate.table({ session: 's', principal: 'ann' })).resolves.toBeDefined()
  })

  it.each(['role', 'tenant', 'principal', 'flags', 'model', 'session', 'turn'])(
    'needs whole characters in `%s`',
    async (key) => {
      const toolgate = await quiet({ tools, declare })
      const turn = { [key]: key === 'flags' ? ['a\ud83d'] : 'a\ud83d' }
      await expect(toolgate.table(turn)).rejects.toMatchObject({
        code: 'OPTION_INVALID',
        message: expect.stringContaining(`turn.${key}`),
      })
    },
  )

  it('belongs to the tenant who used it first', async () => {
    const toolgate = await quiet({ tools, declare })
    await toolgate.table({ session: 's', tenant: 'acme' })
    await expect(toolgate.table({ session: 's', tenant: 'evil' })).rejects.toMatchObject({
      code: 'SESSION_FOREIGN',
    })
  })

  it('is random when none is given', async () => {
    const toolgate = await quiet({ tools, declare })
    const [one, two] = [await toolgate.table(), await toolgate.table()]
    expect(one.session).not.toBe(two.session)
  })
})

describe('child', () => {
  it('may do at most what its parent may', async () => {
    const config = {
      permission: { note: 'deny' },
      roles: { free: { permission: { note: 'allow' } } },
    } as const
    const toolgate = await quiet({ tools, declare, config })
    const parent = await toolgate.table({ tools: { read: false } })
    const child = parent.child({ role: 'free', tools: { read: true } })
    expect(Object.keys(child.tools)).not.toContain('read')
    expect(await child.call('read', { path: 'a' })).toMatchObject({ ok: false })
  })

  it('asks the callback with its depth', async () => {
    const depths: number[] = []
    const { pay } = payTool()
    const toolgate = await quiet({
      tools: { pay },
      ask: ({ depth }) => (depths.push(depth), { decision: 'once' }),
    })
    const table = await toolgate.table({ session: 's' })
    await table.child().call('pay', { amount: 1 })
    await table.child().child().call('pay', { amount: 1 })
    expect(depths).toEqual([1, 2])
  })

  it('refuses a question that nobody would see, and names the fix', async () => {
    const { pay, paid } = payTool()
    const toolgate = await quiet({ tools: { pay }, declare: { pay: { effect: 'destructive' } } })
    const child = (await toolgate.table({ session: 's' })).child()
    const status = await child.settings.toolApproval.pay({ amount: 1 }, { toolCallId: 'c', messages: [] })
    expect(status).toMatchObject({ type: 'denied', reason: expect.stringContaining('`ask`') })
    expect(await child.call('pay', { amount: 1 })).toMatchObject({ error: { code: 'APPROVAL_REQUIRED' } })
    expect(paid).toEqual([])
  })

  it('cannot take another session, tenant or principal', async () => {
    const toolgate = await quiet({ tools, declare })
    const table = await toolgate.table({ session: 's', tenant: 'acme' })
    expect(() => table.child(Object({ tenant: 'evil' }))).toThrow(/tenant/)
  })

  it('tells the listeners of its parent', async () => {
    const heard: string[] = []
    const toolgate = await quiet({ tools, declare })
    const table = await toolgate.table()
    table.on('call-allowed', ({ tool }) => heard.push(tool))
    await table.child().call('read', { path: 'a' })
    expect(heard).toEqual(['read'])
  })
})

describe('a shadow run', () => {
  const shadowed = async (shadow?: () => string) => {
    const runs: string[] = []
    const refund = defineTool({
      inputSchema: z.object({}),
      effect: 'external-write',
      execute: () => (runs.push('refund'), 'real'),
      ...(shadow === undefined ? {} : { shadow }),
    })
    const toolgate = await quiet({
      tools: { refund, read },
      declare: { read: { effect: 'read' } },
      config: { permission: { refund: 'allow', read: 'allow' } },
    })
    return { table: await toolgate.table({ shadow: true, session: 's' }), runs }
  }

  it('does not run a guarded call and says so', async () => {
    const { table, runs } = await shadowed()
    expect(await table.call('refund', {})).toMatchObject({
      ok: true,
      output: expect.stringContaining('shadow'),
      meta: { suppressed: true },
    })
    expect(runs).toEqual([])
  })

  it('gives the stand-in of the tool', async () => {
    const { table } = await shadowed(() => 'as if')
    expect(await table.call('refund', {})).toEqual({ ok: true, output: 'as if', meta: { suppressed: true } })
  })

  it('still reads', async () => {
    const { table } = await shadowed()
    expect(await table.call('read', { path: 'a' })).toMatchObject({
      ok: true,
      output: 'content of a',
      meta: {},
    })
  })
})

describe('events', () => {
  it('tell of a refusal with its code and its reason', async () => {
    const heard: unknown[] = []
    const toolgate = await quiet({
      tools,
      declare: { ...declare, read: { effect: 'read', permission: { pattern: '/path' } } },
      config: { permission: { read: { '*': 'allow', '*.key': 'deny' } } },
      on: { 'call-refused': (event) => void heard.push(event) },
    })
    const table = await toolgate.table({ session: 's', principal: 'ann' })
    await table.call('read', { path: 'a.key' }, { callId: 'c' })
    expect(heard).toMatchObject([
      {
        tool: 'read',
        callId: 'c',
        session: 's',
        principal: 'ann',
        code: 'PERMISSION_DENIED',
        reason: expect.stringContaining('*.key'),
      },
    ])
  })

  it('of a table are heard there and at the toolgate, until one stops listening', async () => {
    const heard: string[] = []
    const toolgate = await quiet({ tools, declare })
    toolgate.on('call-allowed', () => heard.push('toolgate'))
    const table = await toolgate.table()
    const stop = table.on('call-allowed', () => heard.push('table'))
    await table.call('read', { path: 'a' })
    stop()
    await table.call('read', { path: 'a' })
    expect(heard).toEqual(['table', 'toolgate', 'toolgate'])
  })

  it('do not change a call when a listener throws', async () => {
    const toolgate = await quiet({
      tools,
      declare,
      on: {
        'call-allowed': () => {
          throw new Error('listener')
        },
      },
    })
    expect(await (await toolgate.table()).call('read', { path: 'a' })).toMatchObject({ ok: true })
  })

  it('do not end the process when a listener rejects', async () => {
    const told = vi.spyOn(console, 'error').mockImplementation(() => {})
    const toolgate = await quiet({
      tools,
      declare,
      on: Object({ 'call-allowed': async () => Promise.reject(new Error('listener')) }),
    })
    const table = await toolgate.table()
    await table.call('read', { path: 'a' })
    expect(await table.call('read', { path: 'a' })).toMatchObject({ ok: true })
    await setTimeout(10)
    expect(told.mock.calls).toEqual([['toolgate: a listener of `call-allowed` threw: listener']])
    told.mockRestore()
  })

  it('that do not exist are errors', async () => {
    const toolgate = await quiet({ tools, declare })
    expect(() => Reflect.apply(toolgate.on, undefined, ['call-alowed', () => {}])).toThrow(/call-alowed/)
  })
})

describe('metadata', () => {
  it('is an event, and a part of the message once a writer is attached', async () => {
    const t = defineTool({
      inputSchema: z.object({}),
      effect: 'read',
      execute: (_, { metadata }) => {
        metadata({ title: 'half', metadata: { percent: 50 } })
        metadata({ title: 'done', metadata: { percent: 100 } })
        return 'ok'
      },
    })
    const titles: unknown[] = []
    const toolgate = await quiet({
      tools: { t },
      on: { 'tool-metadata': ({ title }) => void titles.push(title) },
    })
    const table = await toolgate.table()
    const stream = createUIMessageStream({
      execute: async ({ writer }) => {
        table.attach(writer)
        await table.call('t', {}, { callId: 'c' })
      },
    })
    let parts: unknown[] = []
    for await (const message of readUIMessageStream({ stream })) parts = message.parts
    expect(titles).toEqual(['half', 'done'])
    // One part, the later content: the id is the call's.
    expect(parts).toEqual([
      {
        type: 'data-toolgate-metadata',
        id: 'c',
        data: { toolCallId: 'c', toolName: 't', title: 'done', metadata: { percent: 100 } },
      },
    ])
  })
})

describe('a writer that rejects', () => {
  it('is a warning, and the tool works on', async () => {
    const t = defineTool({
      inputSchema: z.object({}),
      effect: 'read',
      execute: (_, { metadata }) => {
        metadata({ title: 'half' })
        return 'ok'
      },
    })
    const warnings: string[] = []
    const table = await (await quiet({ tools: { t } }, warnings)).table()
    table.attach(Object({ write: async () => Promise.reject(new Error('gone')) }))
    expect(await table.call('t', {})).toMatchObject({ ok: true, output: 'ok' })
    await setTimeout(10)
    expect(warnings).toEqual(['what `t` says about its call could not be shown: gone'])
  })
})

describe('a configuration file', () => {
  it('is read again when it changed, and a broken one refuses new tables only', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'toolgate-'))
    try {
      const config = join(folder, 'toolgate.jsonc')
      writeFileSync(config, '{ "permission": { "read": "ask" } } // first')
      const toolgate = await quiet({ tools, declare, config })
      const before = await toolgate.table()
      expect(before.explain('read').action).toBe('ask')
      writeFileSync(config, '{ "permission": { "read": "allow" } } // second')
      expect((await toolgate.table()).explain('read').action).toBe('allow')
      expect(before.explain('read').action).toBe('ask')
      writeFileSync(config, '{ "permission": { "read": "alow" } }')
      await expect(toolgate.table()).rejects.toMatchObject({ code: 'RULE_INVALID', span: { line: 1 } })
      await expect(toolgate.table()).rejects.toMatchObject({ code: 'RULE_INVALID' })
      expect(before.explain('read').action).toBe('ask')
      writeFileSync(config, '{ "permission": { "read": "deny" } }')
      expect(Object.keys((await toolgate.table()).tools)).not.toContain('read')
      rmSync(config)
      await expect(toolgate.table()).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('is read once with `reload: false`', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'toolgate-'))
    try {
      const config = join(folder, 'toolgate.jsonc')
      writeFileSync(config, '{ "permission": { "read": "ask" } }')
      const toolgate = await quiet({ tools, declare, config, reload: false })
      writeFileSync(config, '{ broken')
      expect((await toolgate.table()).explain('read').action).toBe('ask')
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('that is not there is an error at start', async () => {
    await expect(quiet({ tools, config: '/nowhere/toolgate.jsonc' })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('/nowhere/toolgate.jsonc'),
    })
  })

  it('declares tools, over what the code declares', async () => {
    const config = { declare: { read: { effect: 'destructive' } } }
    const toolgate = await quiet({ tools, declare, config })
    expect((await toolgate.table()).explain('read').action).toBe('ask')
  })
})
