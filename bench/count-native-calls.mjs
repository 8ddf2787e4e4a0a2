// Counts the native calls of one plain call, for `benchmarks/plain-call.mjs`: through `execute` alone,
// and through a whole step of `generateText` (the AI SDK asks for validation and approval before).
// Prints `{ execute, afterExecute, generateText }`, each a list of function names.
//
// It is a process of its own because the counters have to be in place before the package is loaded.
import { createRequire } from 'node:module'

const calls = []
const addon = createRequire(import.meta.url)('../native/toolgate.node')
for (const [name, original] of Object.entries(addon)) {
  if (typeof original !== 'function') continue
  addon[name] = (...parameters) => {
    calls.push(name)
    return original(...parameters)
  }
}

const { plainTable, plainOptions, plainInput } = await import('./plain-table.mjs')
const { generateText } = await import('ai')
const { MockLanguageModelV3 } = await import('ai/test')

const { tools, settings } = await plainTable(() => {
  calls.push('EXECUTE')
})
calls.length = 0
await tools.search.execute(plainInput(1), plainOptions(1))
const through = calls.splice(0)

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}
const model = new MockLanguageModelV3({
  doGenerate: {
    content: [{ type: 'tool-call', toolCallId: 'call-1', toolName: 'search', input: JSON.stringify(plainInput(2)) }],
    finishReason: { unified: 'tool-calls', raw: undefined },
    usage,
    warnings: [],
  },
})
const { toolResults } = await generateText({ model, prompt: 'search', ...settings })
if (toolResults.length !== 1) throw new Error('generateText did not run the tool')
const inStep = calls.splice(0)

const at = through.indexOf('EXECUTE')
console.log(
  JSON.stringify({
    execute: through.filter((name) => name !== 'EXECUTE'),
    afterExecute: through.slice(at + 1),
    generateText: inStep.filter((name) => name !== 'EXECUTE'),
  }),
)
