// A refund that a person approves in the browser: the first request asks, the second carries the
// answer, and the same answer sent again does not pay again.

import assert from 'node:assert/strict'
import { readUIMessageStream, simulateReadableStream, streamText, type UIMessage } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { createToolgate, defineTool, memoryStore } from 'toolgate'
import { z } from 'zod'

const paid: string[] = []
const refund = defineTool({
  description: 'Pay an order back.',
  inputSchema: z.object({ orderId: z.string() }),
  effect: 'external-write',
  execute: ({ orderId }) => `refund number ${paid.push(orderId)}`,
})
const toolgate = await createToolgate({ tools: { refund }, store: memoryStore() })

/** The route of a chat: the messages of `useChat` come in, the new answer goes out. */
async function post(messages: UIMessage[]): Promise<UIMessage> {
  const table = await toolgate.table({ session: 'chat-1', principal: 'user-1' })
  const result = streamText({ model, messages: await table.messages(messages), ...table.settings })
  const stream = result.toUIMessageStream({ originalMessages: messages })
  let answer = structuredClone(messages.at(-1))
  const start = answer?.role === 'assistant' ? { message: answer } : {}
  for await (const message of readUIMessageStream({ stream, ...start })) answer = message
  assert(answer !== undefined)
  return answer
}

/** What the button in the browser does. */
function approve(message: UIMessage): UIMessage {
  const parts = message.parts.map((part) => {
    if (part.type !== 'tool-refund' || !('state' in part) || part.state !== 'approval-requested') return part
    return { ...part, state: 'approval-responded' as const, approval: { ...part.approval, approved: true as const } }
  })
  return { ...message, parts }
}

const stateOf = (message: UIMessage) => message.parts.flatMap((part) => ('state' in part ? part.state : [])).at(-1)

/** A model that wants a refund, and stops once it has a result. */
const model = new MockLanguageModelV3({
  async doStream({ prompt }) {
    const isDone = prompt.at(-1)?.role === 'tool'
    const call = { type: 'tool-call' as const, toolCallId: 'call-1', toolName: 'refund', input: '{"orderId":"4711"}' }
    const tokens = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0, text: 1, reasoning: 0 }
    const finishReason = { unified: isDone ? ('stop' as const) : ('tool-calls' as const), raw: undefined }
    const finish = { type: 'finish' as const, finishReason, usage: { inputTokens: tokens, outputTokens: tokens } }
    return { stream: simulateReadableStream({ chunks: isDone ? [finish] : [call, finish] }) }
  },
})

const question: UIMessage = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'I want my money back.' }] }
const asked = await post([question])
assert.deepEqual([stateOf(asked), paid], ['approval-requested', []])

for (const attempt of ['first', 'second']) {
  const answer = await post([question, approve(asked)])
  assert.deepEqual([stateOf(answer), paid], ['output-available', ['4711']], attempt)
}
console.log('approval-over-two-requests: asked once, paid once, sent twice')
