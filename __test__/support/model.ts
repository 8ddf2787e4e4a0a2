// A model that answers what it is told to, for both majors of the AI SDK: the 6 takes models of
// version 3, the 7 of version 4, and what they stream is the same here.

import * as aiTest from 'ai/test'
import { simulateReadableStream, type LanguageModel } from 'ai'

globalThis.AI_SDK_LOG_WARNINGS = false

/** The major of the AI SDK under test. */
export const sdk = process.env['TOOLGATE_SDK'] === '7' ? 7 : 6

/** A tool call of the model. */
export interface ScriptedCall {
  readonly name: string
  readonly input: unknown
  readonly id?: string
}

/** One answer of the model: a text, or calls. */
export type Reply = string | readonly ScriptedCall[]

type MockModel = InstanceType<typeof aiTest.MockLanguageModelV3>
type MockOptions = NonNullable<ConstructorParameters<typeof aiTest.MockLanguageModelV3>[0]>

function isMockClass(value: unknown): value is new (options: MockOptions) => MockModel {
  return typeof value === 'function'
}

function isModel(value: unknown): value is Exclude<LanguageModel, string> {
  return typeof value === 'object' && value !== null && 'doStream' in value
}

/** What was sent to the model, as JSON, one text a request. */
export interface Scripted {
  readonly model: Exclude<LanguageModel, string>
  readonly requests: string[]
}

let callCount = 0

/** A model that gives `replies` one after the other, and a last word when there are no more. */
export function scripted(...replies: readonly Reply[]): Scripted {
  const requests: string[] = []
  const next = (options: unknown): { content: ContentPart[]; finishReason: FinishReason } => {
    const reply = replies[requests.length] ?? 'done'
    requests.push(JSON.stringify(options))
    if (typeof reply === 'string') {
      return { content: [{ type: 'text', text: reply }], finishReason: { unified: 'stop', raw: undefined } }
    }
    const content = reply.map(({ name, input, id }) => ({
      type: 'tool-call' as const,
      toolCallId: id ?? `call-${(callCount += 1)}`,
      toolName: name,
      input: typeof input === 'string' ? input : JSON.stringify(input),
    }))
    return { content, finishReason: { unified: 'tool-calls', raw: undefined } }
  }
  const Mock: unknown = Reflect.get(aiTest, `MockLanguageModelV${sdk === 7 ? 4 : 3}`)
  if (!isMockClass(Mock)) throw new Error('the AI SDK has no mock model of its version')
  const model = new Mock({
    doGenerate: async (options) => ({ ...next(options), usage, warnings: [] }),
    doStream: async (options) => {
      const { content, finishReason } = next(options)
      return {
        stream: simulateReadableStream({
          initialDelayInMs: null,
          chunkDelayInMs: null,
          chunks: [
            { type: 'stream-start' as const, warnings: [] },
            ...content.flatMap((part, index) => chunksOf(part, `part-${index}`)),
            { type: 'finish' as const, finishReason, usage },
          ],
        }),
      }
    },
  })
  if (!isModel(model)) throw new Error('the mock is no model')
  return { model, requests }
}

type FinishReason = { unified: 'stop' | 'tool-calls'; raw: undefined }

type ContentPart =
  | { type: 'text'; text: string }
  | { type: 'tool-call'; toolCallId: string; toolName: string; input: string }

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
}

type Chunk =
  | ContentPart
  | { type: 'text-start'; id: string }
  | { type: 'text-end'; id: string }
  | { type: 'text-delta'; id: string; delta: string }

function chunksOf(part: ContentPart, id: string): Exclude<Chunk, { type: 'text' }>[] {
  if (part.type === 'tool-call') return [part]
  return [
    { type: 'text-start', id },
    { type: 'text-delta', id, delta: part.text },
    { type: 'text-end', id },
  ]
}
