// The table of the plain-call benchmarks: a reading tool with a JSON Schema, which the core validates,
// and one with a zod schema, which zod validates; both allowed by a rule.
import { z } from 'zod'

import { createToolgate } from '../dist/index.js'
import { sdkTool } from './tools.mjs'

const SCHEMA = {
  type: 'object',
  properties: { query: { type: 'string' }, path: { type: 'string' }, limit: { type: 'integer' } },
  required: ['query'],
  additionalProperties: false,
}

/** An output under 2,000 characters. */
const OUTPUT = 'src/a.ts:12: match\n'.repeat(20)

/** The tools as they are. */
export function bareTools(onExecute = () => {}) {
  const execute = async ({ limit }) => {
    onExecute()
    return limit > 0 ? OUTPUT : ''
  }
  const withZod = {
    description: 'Searches files.',
    inputSchema: z.strictObject({ query: z.string(), path: z.string().optional(), limit: z.int().optional() }),
    execute,
  }
  return { search: sdkTool('Searches files.', SCHEMA, execute), search_zod: withZod }
}

/** The table over them. */
export async function plainTable(onExecute) {
  const toolgate = await createToolgate({
    tools: bareTools(onExecute),
    declare: { '*': { effect: 'read', permission: { pattern: '/path' } } },
    config: { permission: { '*': 'ask', 'search*': { '*': 'allow', 'secret/*': 'deny' } } },
  })
  return toolgate.table({ session: 'bench' })
}

/** The input of call `at`: a new object each time, as the AI SDK parses it. */
export function plainInput(at) {
  return { query: `function ${at}`, path: 'src/index.ts', limit: 1 + (at % 10) }
}

/** The options that the AI SDK passes, with a history of `messages`. */
export function plainOptions(at, messages = HISTORY) {
  return { toolCallId: `call-${at}`, messages }
}

const HISTORY = [
  { role: 'system', content: 'You search.' },
  { role: 'user', content: 'Where is it?' },
]

/** The history of a long task: a hundred calls and their results. */
export const LONG_HISTORY = [
  ...HISTORY,
  ...Array.from({ length: 100 }, (_, at) => [
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: `old-${at}`, toolName: 'search', input: plainInput(at) }] },
    {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: `old-${at}`, toolName: 'search', output: { type: 'text', value: OUTPUT } }],
    },
  ]).flat(),
]
