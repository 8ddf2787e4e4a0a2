// Checked by tsc, not run: the static types of a table are those of its tools.

import { generateText, jsonSchema, streamText, tool, ToolLoopAgent, type InferUITools, type UIMessage } from 'ai'
import { z } from 'zod'
import { z as z3 } from 'zod3'

import { createToolgate, defineTool, type Envelope, type ToolContext } from '../ts/index.ts'
import { scripted } from './support/model.ts'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const isTrue = <T extends true>(): T | undefined => undefined

const weather = tool({
  description: 'The weather',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ city, degrees: 20 }),
})
const refund = defineTool({
  inputSchema: z.object({ orderId: z.string(), cents: z.number().default(1) }),
  effect: 'external-write',
  permission: { pattern: ({ orderId }) => orderId },
  execute: ({ orderId, cents }, context) => {
    isTrue<Equal<typeof orderId, string>>()
    isTrue<Equal<typeof cents, number>>()
    isTrue<Equal<typeof context, ToolContext>>()
    return { orderId, refunded: orderId !== '' }
  },
})
const tools = { weather, refund }

const toolgate = await createToolgate({
  tools,
  declare: { weather: { effect: 'read' }, refund: { permission: { pattern: '/orderId' } } },
})
const table = await toolgate.table()

// The tools of the table are the tools of the application, to the letter.
isTrue<Equal<typeof table.tools, typeof tools>>()
isTrue<Equal<InferUITools<typeof table.tools>, InferUITools<typeof tools>>>()
isTrue<Equal<InferUITools<typeof table.tools>['weather']['output'], { city: string; degrees: number }>>()
isTrue<Equal<InferUITools<typeof table.tools>['refund']['input'], { orderId: string; cents: number }>>()
isTrue<Equal<InferUITools<typeof table.tools>['refund']['output'], { orderId: string; refunded: boolean }>>()

// Tools that are written in place are typed as well.
const inPlace = await createToolgate({ tools: { weather: tool({ inputSchema: z.object({ a: z.number() }), execute: ({ a }) => a }) } })
isTrue<Equal<InferUITools<Awaited<ReturnType<typeof inPlace.table>>['tools']>['weather']['input'], { a: number }>>()

// Settings spread into every entry point.
const { model } = scripted()
const messages: UIMessage[] = []
const generated = await generateText({ model, messages: await table.messages(messages), ...table.settings })
for (const result of generated.staticToolResults) {
  if (result.toolName === 'weather') isTrue<Equal<typeof result.output, { city: string; degrees: number }>>()
}
streamText({ model, prompt: 'hi', ...table.settings })
void new ToolLoopAgent({
  model,
  tools,
  prepareCall: async (call) => ({ ...call, ...(await toolgate.table({ session: 's' })).settings }),
})

// Every kind of schema infers the input of `defineTool`.
defineTool({ inputSchema: z3.object({ n: z3.number() }), execute: ({ n }) => isTrue<Equal<typeof n, number>>() })
defineTool({
  inputSchema: jsonSchema<{ n: number }>({ type: 'object' }),
  execute: ({ n }) => isTrue<Equal<typeof n, number>>(),
})
defineTool({
  inputSchema: z.object({ n: z.number() }),
  execute: async function* ({ n }) {
    yield `${n}`
  },
})

// @ts-expect-error an effect that does not exist
defineTool({ inputSchema: z.object({}), effect: 'raed', execute: () => 1 })
// @ts-expect-error an option that does not exist
void createToolgate({ tool: tools })
// @ts-expect-error a key of a turn that does not exist
void toolgate.table({ sesion: 's' })

const envelope: Envelope = await table.call('weather', { city: 'Rome' })
if (envelope.ok) isTrue<Equal<typeof envelope.output, unknown>>()
else isTrue<Equal<typeof envelope.error.message, string>>()
