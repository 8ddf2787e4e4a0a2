// The three ways into the AI SDK: generateText, streamText and an agent.

import { generateText, stepCountIs, streamText, ToolLoopAgent } from 'ai'
import { describe, expect, it } from 'vitest'

import { payTool, quiet, readTool } from './support/gate.ts'
import { scripted } from './support/model.ts'

const asRead = { read: { effect: 'read' } } as const

describe('generateText', () => {
  it('runs a tool that the rules allow', async () => {
    const { read, asked } = readTool()
    const toolgate = await quiet({ tools: { read }, declare: asRead })
    const table = await toolgate.table()
    const { model, requests } = scripted([{ name: 'read', input: { path: 'a.txt' } }], 'it says hello')
    const result = await generateText({ model, prompt: 'read it', ...table.settings, stopWhen: stepCountIs(3) })
    expect(asked).toEqual(['a.txt'])
    expect(result.text).toBe('it says hello')
    expect(requests[1]).toContain('content of a.txt')
  })

  it('shows the model why a call was refused, in one safe sentence', async () => {
    const { read, asked } = readTool()
    const toolgate = await quiet({
      tools: { read },
      declare: { read: { effect: 'read', permission: { pattern: '/path' } } },
      config: { permission: { read: { '*': 'allow', 'secret/*': 'deny' } } },
    })
    const table = await toolgate.table()
    const { model, requests } = scripted([{ name: 'read', input: { path: 'secret/key' } }])
    await generateText({ model, prompt: 'read it', ...table.settings, stopWhen: stepCountIs(3) })
    expect(asked).toEqual([])
    expect(requests[1]).toContain('not permitted')
    expect(requests[1]).not.toContain('secret/*')
  })

  it('refuses in `execute` as well, when only the tools were passed on', async () => {
    const { read, asked } = readTool()
    const toolgate = await quiet({
      tools: { read },
      declare: { read: { effect: 'read', permission: { pattern: '/path' } } },
      config: { permission: { read: { '*': 'allow', 'secret/*': 'deny' } } },
    })
    const { tools } = await toolgate.table()
    const { model, requests } = scripted([{ name: 'read', input: { path: 'secret/key' } }])
    await generateText({ model, prompt: 'read it', tools, stopWhen: stepCountIs(3) })
    expect(asked).toEqual([])
    expect(requests[1]).toContain('not permitted')
  })

  it('refuses although a `toolApproval` of the application has no opinion', async () => {
    const { read, asked } = readTool()
    const toolgate = await quiet({
      tools: { read },
      declare: asRead,
      config: { permission: { read: 'deny', 'other*': 'allow' } },
    })
    const { tools } = await toolgate.table({ permission: { read: { 'never': 'allow' } } })
    const { model } = scripted([{ name: 'read', input: { path: 'x' } }])
    const generic = { toolApproval: () => undefined }
    await generateText({ model, prompt: 'read it', tools, ...generic, stopWhen: stepCountIs(3) })
    expect(asked).toEqual([])
  })
})

describe('streamText', () => {
  it('runs a tool that the rules allow', async () => {
    const { read, asked } = readTool()
    const toolgate = await quiet({ tools: { read }, declare: asRead })
    const table = await toolgate.table()
    const { model } = scripted([{ name: 'read', input: { path: 'a.txt' } }], 'it says hello')
    const result = streamText({ model, prompt: 'read it', ...table.settings, stopWhen: stepCountIs(3) })
    expect(await result.text).toBe('it says hello')
    expect(asked).toEqual(['a.txt'])
  })

  it('passes the abort signal, the messages and the call id on as they came', async () => {
    const seen: unknown[] = []
    const { read } = readTool()
    const spy = {
      ...read,
      execute: (_: { path: string }, options: { abortSignal?: AbortSignal; toolCallId: string; messages: unknown[] }) => {
        seen.push(options.abortSignal, options.toolCallId, options.messages.length)
        return 'ok'
      },
    }
    const toolgate = await quiet({ tools: { read: spy }, declare: asRead })
    const table = await toolgate.table()
    const { signal } = new AbortController()
    const { model } = scripted([{ name: 'read', input: { path: 'a' }, id: 'call-a' }])
    await streamText({ model, prompt: 'go', ...table.settings, abortSignal: signal, stopWhen: stepCountIs(3) }).text
    expect(seen[0]).toBe(signal)
    expect(seen.slice(1)).toEqual(['call-a', 1])
  })
})

describe('ToolLoopAgent', () => {
  it('takes the settings of a table in `prepareCall`', async () => {
    const { read, asked } = readTool()
    const toolgate = await quiet({ tools: { read }, declare: asRead })
    const { model } = scripted([{ name: 'read', input: { path: 'a.txt' } }], 'done it')
    const agent = new ToolLoopAgent({
      model,
      tools: { read },
      stopWhen: stepCountIs(3),
      prepareCall: async (call) => ({ ...call, ...(await toolgate.table({ session: 's' })).settings }),
    })
    const result = await agent.generate({ prompt: 'read it' })
    expect(result.text).toBe('done it')
    expect(asked).toEqual(['a.txt'])
  })

  it('runs a question through the `ask` callback where no browser is', async () => {
    const { pay, paid } = payTool()
    const questions: string[] = []
    const toolgate = await quiet({
      tools: { pay },
      declare: { pay: { effect: 'external-write' } },
      ask: ({ tool }) => {
        questions.push(tool)
        return { decision: 'once' }
      },
    })
    const { model } = scripted([{ name: 'pay', input: { amount: 5 } }], 'paid')
    const agent = new ToolLoopAgent({
      model,
      stopWhen: stepCountIs(3),
      tools: { pay },
      prepareCall: async (call) => ({ ...call, ...(await toolgate.table()).settings }),
    })
    await agent.generate({ prompt: 'pay' })
    expect(questions).toEqual(['pay'])
    expect(paid).toEqual([5])
  })
})

describe('the table', () => {
  it('has no prototype, so a tool called `constructor` does not exist', async () => {
    const { read } = readTool()
    const toolgate = await quiet({ tools: { read }, declare: asRead })
    const { tools } = await toolgate.table()
    expect(Object.getPrototypeOf(tools)).toBe(null)
    expect('constructor' in tools).toBe(false)
  })

  it('keeps the order of the application', async () => {
    const { read } = readTool()
    const names = ['zebra', 'apple', 'mango1', 'b2']
    const toolgate = await quiet({
      tools: Object.fromEntries(names.map((name) => [name, read])),
      declare: { '*': { effect: 'read' } },
    })
    const { tools } = await toolgate.table()
    expect(Object.keys(tools)).toEqual(names)
  })

  it('has an approval function for every tool, because a gap would fall back to the tool', async () => {
    const { read } = readTool()
    const { pay } = payTool()
    const toolgate = await quiet({ tools: { read, pay }, declare: { ...asRead, pay: { effect: 'destructive' } } })
    const { settings } = await toolgate.table()
    expect(Object.keys(settings.toolApproval)).toEqual(['read', 'pay'])
    expect(Object.getPrototypeOf(settings.toolApproval)).toBe(null)
  })
})
