// The agent: a directory, a gate, a model, and the loop of the AI SDK between them. Read this file
// first; everything around it (terminal, report, scripted model) is scenery.

import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { stepCountIs, streamText } from 'ai'
import { createToolgate, memoryStore, type Config } from 'toolgate'
import { createReport } from './report.ts'
import type { Terminal } from './terminal.ts'
import { createTools } from './tools.ts'
import type { Transcript } from './transcript.ts'
import { openWorkspace, type Workspace } from './workspace.ts'

/** Where the model is: anything that speaks the `chat/completions` of OpenAI. */
export interface Endpoint {
  readonly baseUrl: string
  readonly apiKey: string
  readonly model: string
  /** For the head of the transcript. */
  readonly about: string
}

export interface AgentOptions {
  readonly directory: string
  /** The path of a `toolgate.jsonc`, or the same as an object. */
  readonly config: string | Config
  readonly endpoint: Endpoint
  readonly terminal: Terminal
  readonly transcript: Transcript
  readonly signal: AbortSignal
}

const instructions =
  'You look after a directory. Look around, note down what is worth knowing, and leave no mess. ' +
  'When a call is refused, do not try to get around it: say so and go on.'

const maxSteps = 20
const maxFilesInPrompt = 40

/** Runs the agent to its end. Throws what made that impossible. */
export async function runAgent(options: AgentOptions): Promise<void> {
  const { endpoint, terminal, transcript } = options
  const workspace = await openWorkspace(options.directory)
  try {
    const report = createReport(transcript)
    const tools = createTools(workspace, (path) => mayRead(path))
    // Rules speak of files, not of what the model typed: `./a/../.env` is `.env`.
    const fileOf = (input: { path: string }) => workspace.resources(input.path)
    const toolgate = await createToolgate({
      config: options.config,
      tools,
      declare: {
        '*_file': { permission: { pattern: fileOf } },
        // Counting lines is reading: the rules of `read_file` cover it.
        count_lines: { permission: { name: 'read_file', pattern: fileOf } },
      },
      // Deleting is done at most once a call; a durable store would hold that over a restart, too.
      store: memoryStore(),
      ask: (question, { signal }) => terminal.answer(question, signal),
      on: { 'question-asked': report.question, 'question-answered': report.answer },
    })

    const provider = createOpenAICompatible({
      name: 'openai-compatible',
      baseURL: endpoint.baseUrl,
      apiKey: endpoint.apiKey,
      includeUsage: true,
      fetch: report.countingFetch,
    })
    const model = provider(endpoint.model)
    const table = await toolgate.table({ model, tenant: 'demo', role: 'assistant', abortSignal: options.signal })
    // A search must not show what a read would not open.
    const mayRead = (path: string): boolean => table.explain('read_file', { path }).action === 'allow'

    transcript.row('directory', `${workspace.root}, never written to, whatever the rules say`)
    transcript.row('@scratch', `${workspace.scratch}, for notes`)
    transcript.row('model', endpoint.about)
    transcript.row('answers', terminal.about)
    transcript.gap()
    report.funnel(Object.keys(tools), Object.keys(table.tools), table.hidden)

    const { fullStream } = streamText({
      model,
      ...table.settings,
      system: instructions,
      prompt: await describeDirectory(workspace),
      stopWhen: stepCountIs(maxSteps),
      maxRetries: 1,
      abortSignal: options.signal,
      onError: () => {}, // The stream carries the error as well.
    })
    try {
      await report.run(fullStream, (tool, input) => table.explain(tool, input))
    } finally {
      report.summary(workspace.close() ? 'none left' : `kept in ${workspace.scratch}`)
    }
  } finally {
    workspace.close()
  }
}

async function describeDirectory(workspace: Workspace): Promise<string> {
  const lines: string[] = []
  for await (const name of workspace.files()) if (lines.push(`- ${name}`) === maxFilesInPrompt) break
  const files = lines.length === 0 ? 'It is empty.' : `Its first files:\n${lines.join('\n')}`
  return `What is in this directory, and is it in order? ${files}`
}
