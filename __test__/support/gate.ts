// What most specs need: tools that count their runs, and a toolgate that says nothing at start.

import { tool } from 'ai'
import { z } from 'zod'

import { createToolgate, type Toolgate, type ToolgateOptions, type ToolTable } from '../../ts/index.ts'

/** A toolgate whose warnings are kept and not printed. */
export async function quiet<TOOLS extends ToolTable>(
  options: ToolgateOptions<TOOLS>,
  warnings: string[] = [],
): Promise<Toolgate<TOOLS>> {
  const on = { warning: ({ message }: { message: string }) => void warnings.push(message), ...options.on }
  return createToolgate({ ...options, on })
}

/** A tool that pays, and the payments that it made. */
export function payTool() {
  const paid: number[] = []
  const pay = tool({
    description: 'Pays an amount',
    inputSchema: z.object({ amount: z.number() }),
    execute: async ({ amount }) => {
      paid.push(amount)
      return { receipt: `paid ${amount}` }
    },
  })
  return { pay, paid }
}

/** A tool that reads, and what it was asked for. */
export function readTool() {
  const asked: string[] = []
  const read = tool({
    description: 'Reads a file',
    inputSchema: z.object({ path: z.string() }),
    execute: ({ path }) => {
      asked.push(path)
      return `content of ${path}`
    },
  })
  return { read, asked }
}

/** Calls `execute` of a wrapped tool, the way the AI SDK does. */
export function execute(of: object, input: unknown, callId = 'c', messages: readonly unknown[] = []): unknown {
  const run: unknown = Reflect.get(of, 'execute')
  if (typeof run !== 'function') throw new Error('the tool has no `execute`')
  return Reflect.apply(run, of, [input, { toolCallId: callId, messages }])
}
