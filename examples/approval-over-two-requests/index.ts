// A refund that a person approves in the browser: the first request asks, the second carries the
// answer, and the same answer sent again does not pay again.

import assert from 'node:assert/strict'
import { readUIMessageStream, simulateReadableStream, streamText, type UIMessage } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { createToolgate, defineTool } from 'toolgate'
import { z } from 'zod'

const paid: string[] = []
const toolgate = await createToolgate({
  tools: {
    refund: defineTool({
      description: 'Pay an order back.',
      inputSchema: z.object({ orderId: z.string() }),
      effect: 'external-write',
      execute: ({ orderId }) => `refund number ${paid.push(orderId)}`,
    }),
  },
})

/** The route of a chat: the messages of `useChat` come in, the new answer goes out. */
async function post(messages: UIMessage[]): Promise<UIMessage> {
  const table = await toolgate.table({ session: 'chat-1', principal: 'user-1' })
  const result = streamText({ model, messages: await table.messages(messages), ...table.settings })
  const stream = result.toUIMessageStream({ originalMessages: messages })
  const last = messages.at(-1)
  let answer = last?.role === 'assistant' ? structuredClone(last) : undefined
  for await (const message of readUIMessageStream({ stream, ...(answer && { message: answer }) })) answer = message
  assert(answer !== undefined)
  return answer
}

/** What the button in the browser does. */
function approve(message: UIMessage): UIMessage {
  const parts = message.parts.map((part) =>
    part.type === 'tool-refund' && part.state === 'approval-requested'
      ? { ...part, state: 'approval-responded' as const, approval: { ...part.approval, approved: true as const } }
      : part,
  )
  return { ...message, parts }
}

/** Wants a refund, and is content once there is a result. */
const model = new MockLanguageModelV3({
  async doStream({ prompt }) {
    const isDone = prompt.at(-1)?.role === 'tool'
    const call = { toolCallId: 'call-1', toolName: 'refund', input: '{"orderId":"4711"}' }
    const tokens = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0, text: 1, reasoning: 0 }
    return {
      stream: simulateReadableStream({
        chunks: [
          { type: 'stream-start', warnings: [] },
          ...(isDone ? [] : [{ type: 'tool-call' as const, ...call }]),
          { type: 'finish', finishReason: { unified: isDone ? 'stop' : 'tool-calls', raw: undefined }, usage: { inputTokens: tokens, outputTokens: tokens } },
        ],
      }),
    }
  },
})

const question: UIMessage = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'I want my money back.' }] }
const asked = await post([question])
assert.equal(stateOf(asked), 'approval-requested')
assert.deepEqual(paid, [])

const approved = [question, approve(asked)]
assert.equal(stateOf(await post(approved)), 'output-available')
assert.deepEqual(paid, ['4711'])

assert.equal(stateOf(await post(approved)), 'output-available')
assert.deepEqual(paid, ['4711'])
console.log('approval-over-two-requests: asked once, paid once, sent twice')

function stateOf(message: UIMessage): string | undefined {
  const part = message.parts.find((candidate) => candidate.type === 'tool-refund')
  return part !== undefined && 'state' in part ? part.state : undefined
}
