// Calls that end badly, and tools that want an approval themselves.
import { describe, expect, it } from 'vitest'

import { ToolError } from '../ts/index.ts'
import { quiet, payTool } from './support/gate.ts'

describe('a guarded call', () => {
  const options = {
    declare: { pay: { effect: 'external-write' } },
    config: { permission: { pay: 'allow' } },
  } as const

  it('that was aborted before it ran does not run', async () => {
    const { pay, paid } = payTool()
    const toolgate = await quiet({ ...options, tools: { pay } })
    const table = await toolgate.table({ session: 's' })
    const refused = await table.call('pay', { amount: 5 }, { abortSignal: AbortSignal.abort() })
    expect(refused).toMatchObject({ ok: false, error: { code: 'CALL_ABORTED' } })
    expect(paid).toEqual([])
  })

  it.each([
    ['half of a surrogate pair', new Error('no \uD83D')],
    ['no text', Object.assign(new Error('x'), { message: { a: 1 } })],
    ['a request with its credentials', { headers: { authorization: 'Bearer SECRET' } }],
  ])('that failed with %s comes to its end', async (_, thrown) => {
    const { pay } = payTool()
    const failing = {
      ...pay,
      execute: () => {
        throw thrown
      },
    }
    const toolgate = await quiet({ ...options, tools: { pay: failing } })
    const table = await toolgate.table({ session: 's' })
    const first = await table.call('pay', { amount: 5 }, { callId: 'c' })
    expect(JSON.stringify(first)).not.toContain('SECRET')
    const second = await table.call('pay', { amount: 5 }, { callId: 'c' })
    expect(second).toMatchObject({ ok: false, error: { code: 'OUTCOME_UNKNOWN' } })
  })

  it('that proved to have had no effect fails with what it says, made well-formed', async () => {
    const { pay } = payTool()
    const failing = {
      ...pay,
      execute: () => {
        throw ToolError.notApplied('no \uD83D')
      },
    }
    const toolgate = await quiet({ ...options, tools: { pay: failing } })
    const table = await toolgate.table({ session: 's' })
    const first = await table.call('pay', { amount: 5 }, { callId: 'c' })
    expect(first).toMatchObject({ ok: false, error: { code: 'TOOL_FAILED', message: 'no \uFFFD' } })
  })
})

describe('a tool that wants an approval itself', () => {
  it.each([true, 'yes', 1])('as %j is asked about on every way to it', async (needsApproval) => {
    const { pay, paid } = payTool()
    const asked: string[] = []
    const toolgate = await quiet({
      tools: { pay: { ...pay, needsApproval } },
      declare: { pay: { effect: 'read' } },
      config: { permission: 'allow' },
      ask: async ({ tool }) => {
        asked.push(tool)
        return { decision: 'reject' }
      },
    })
    const table = await toolgate.table({ session: 's' })
    expect(await table.call('pay', { amount: 5 })).toMatchObject({ error: { code: 'APPROVAL_REJECTED' } })
    expect({ asked, paid }).toEqual({ asked: ['pay'], paid: [] })
  })
})
