// A model without a model: an OpenAI-compatible endpoint on loopback that plays a fixed script.
// It keeps no state. Each request carries the whole conversation, so the next step is the first
// one of the script that the conversation does not show yet: as with a real model, all it knows is
// what it is sent.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { z } from 'zod'

/** The parts of a `chat/completions` request that the script reads. */
const requestSchema = z.object({
  model: z.string(),
  messages: z.array(
    z.object({
      role: z.enum(['system', 'user', 'assistant', 'tool']),
      content: z.string().nullish(),
      tool_call_id: z.string().optional(),
      tool_calls: z
        .array(z.object({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) }))
        .optional(),
    }),
  ),
  tools: z.array(z.object({ function: z.object({ name: z.string() }).loose() })).default([]),
})

export type ModelRequest = z.output<typeof requestSchema>

export interface ScriptedModel {
  readonly baseUrl: string
  /** What it was really sent, in order. */
  readonly requests: readonly ModelRequest[]
  close(): Promise<void>
}

export async function serveScriptedModel(): Promise<ScriptedModel> {
  const requests: ModelRequest[] = []
  const server = createServer((request, response) => {
    answer(request, response, requests).catch((error: unknown) => {
      response.writeHead(400, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: { message: `the scripted model cannot read this: ${String(error)}` } }))
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port to listen on')
  return {
    baseUrl: `http://127.0.0.1:${address.port}/v1`,
    requests,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}

async function answer(request: IncomingMessage, response: ServerResponse, requests: ModelRequest[]) {
  let body = ''
  for await (const chunk of request.setEncoding('utf8')) body += chunk
  const received = requestSchema.parse(JSON.parse(body))
  requests.push(received)
  const { text, call } = nextTurn(conversationOf(received))

  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const send = (delta: object, more: object = {}) => {
    const chunk = { id: `chat-${requests.length}`, object: 'chat.completion.chunk', model: received.model }
    const choices = [{ index: 0, delta, finish_reason: null, ...more }]
    response.write(`data: ${JSON.stringify({ ...chunk, choices })}\n\n`)
  }
  send({ role: 'assistant', content: text })
  if (call !== undefined) {
    // In two pieces, as real endpoints stream it.
    const half = Math.ceil(call.arguments.length / 2)
    const head = { id: call.id, type: 'function', function: { name: call.name, arguments: '' } }
    send({ tool_calls: [{ index: 0, ...head }] })
    send({ tool_calls: [{ index: 0, function: { arguments: call.arguments.slice(0, half) } }] })
    send({ tool_calls: [{ index: 0, function: { arguments: call.arguments.slice(half) } }] })
  }
  send({}, { finish_reason: call === undefined ? 'stop' : 'tool_calls' })
  response.end('data: [DONE]\n\n')
}

/** What the script can know. */
interface Conversation {
  /** The tools that it was offered. */
  readonly tools: ReadonlySet<string>
  /** The files that the prompt names. */
  readonly files: readonly string[]
  readonly called: ReadonlySet<string>
  /** What came back for a step; empty when nothing did. */
  result(step: string): string
}

function conversationOf(request: ModelRequest): Conversation {
  const results = new Map<string, string>()
  const called = new Set<string>()
  for (const message of request.messages) {
    for (const call of message.tool_calls ?? []) called.add(call.id)
    if (message.tool_call_id !== undefined) results.set(message.tool_call_id, message.content ?? '')
  }
  const prompt = request.messages.find((message) => message.role === 'user')?.content ?? ''
  return {
    tools: new Set(request.tools.map((tool) => tool.function.name)),
    files: prompt.split('\n').flatMap((line) => (line.startsWith('- ') ? [line.slice(2)] : [])),
    called,
    result: (step) => results.get(callId(step)) ?? '',
  }
}

interface Step {
  readonly name: string
  readonly tool: string
  /** When it makes sense; always, if absent. */
  readonly when?: (talk: Conversation) => boolean
  readonly say: (talk: Conversation) => string
  readonly input: (talk: Conversation) => object
}

const script: readonly Step[] = [
  {
    name: 'read',
    tool: 'read_file',
    when: (talk) => talk.files.length > 0,
    say: () => 'I start with what the directory says about itself.',
    input: (talk) => ({ path: introduction(talk) }),
  },
  {
    name: 'search',
    tool: 'search_text',
    say: (talk) => `Where else does it speak of "${topic(talk)}"?`,
    input: (talk) => ({ text: topic(talk) }),
  },
  {
    name: 'secret',
    tool: 'read_file',
    say: () => 'There may be settings that I should know.',
    input: () => ({ path: '.env' }),
  },
  {
    name: 'log',
    tool: 'long_log',
    say: () => 'Now the log, all of it.',
    input: () => ({ lines: 'all' }),
  },
  {
    name: 'log-corrected',
    tool: 'long_log',
    when: (talk) => talk.result('log').includes('lines'),
    say: () => 'It wants a number.',
    input: () => ({ lines: 500 }),
  },
  {
    name: 'note',
    tool: 'append_note',
    say: () => 'I write down what I found.',
    input: (talk) => ({ text: `"${topic(talk)}" stands in ${hits(talk)}.` }),
  },
  {
    name: 'note-again',
    tool: 'append_note',
    say: (talk) => (talk.result('note').startsWith('noted') ? 'And one more.' : 'Perhaps a shorter note?'),
    input: () => ({ text: 'The log holds nothing unusual.' }),
  },
  {
    name: 'delete-own',
    tool: 'delete_file',
    when: (talk) => talk.result('note').startsWith('noted') || talk.result('note-again').startsWith('noted'),
    say: () => 'My notes were only a draft; I tidy up.',
    input: () => ({ path: '@scratch/notes.md' }),
  },
  {
    name: 'delete-foreign',
    tool: 'delete_file',
    when: (talk) => talk.files.length > 0,
    say: () => 'And a file that looks unused.',
    input: (talk) => ({ path: talk.files.at(-1) }),
  },
]

/** The next turn of the model: the first step that the conversation does not show yet. */
function nextTurn(talk: Conversation) {
  const step = script.find(
    ({ name, tool, when }) => !talk.called.has(callId(name)) && talk.tools.has(tool) && (when?.(talk) ?? true),
  )
  if (step === undefined) return { text: `That is all. "${topic(talk)}" stands in ${hits(talk)}.` }
  const call = { id: callId(step.name), name: step.tool, arguments: JSON.stringify(step.input(talk)) }
  return { text: step.say(talk), call }
}

function callId(step: string): string {
  return `call_${step}`
}

/** The file that most likely says what the directory is. */
function introduction({ files }: Conversation): string | undefined {
  return files.find((file) => /^readme/i.test(file)) ?? files.find((file) => file.endsWith('.md')) ?? files[0]
}

/** A word that the introduction uses. */
function topic(talk: Conversation): string {
  return /\b[a-z]{5,12}\b/i.exec(talk.result('read'))?.[0] ?? 'toolgate'
}

function hits(talk: Conversation): string {
  const count = talk.result('search').split('\n').filter((line) => /:\d+: /.test(line)).length
  return count === 1 ? '1 line' : `${count} lines`
}
