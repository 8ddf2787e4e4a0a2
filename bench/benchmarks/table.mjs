// The table of a thousand tools under a thousand rules, as an application builds it at every request,
// and the same after one rule and one tool changed.
import { createToolgate } from '../../dist/index.js'
import { disabled } from '../coding-agent.mjs'
import { perRun } from '../measure.mjs'
import { configOf, toolNames, visibilitySets } from '../rule-sets.mjs'
import { generateTools, sdkTool, sdkTools } from '../tools.mjs'

const COUNT = 1000
const TARGET_MS = 5
const rules = visibilitySets['by-tool'](COUNT)
const INPUTS = 'rule set `by-tool` of 1000, 1000 tools with JSON Schemas, all different'

function optionsFor(tools, someRules = rules) {
  return { tools, declare: { '*': { effect: 'read' } }, config: JSON.parse(configOf(someRules)) }
}

/** What the application spreads into `streamText`. */
async function settingsOf(toolgate) {
  const { settings } = await toolgate.table({ session: 'bench' })
  return settings
}

/** The coding-agent way to the same: what is disabled, then a wrapper around each of the others. */
function codingAgentTable(tools) {
  const hidden = disabled(rules, Object.keys(tools))
  const table = {}
  for (const [name, tool] of Object.entries(tools)) {
    if (!hidden.has(name)) table[name] = { ...tool, execute: (input, options) => tool.execute(input, options) }
  }
  return table
}

async function table1000() {
  const tools = sdkTools(generateTools(COUNT))
  const toolgate = await createToolgate(optionsFor(tools))
  const started = performance.now()
  await settingsOf(toolgate)
  const first = performance.now() - started
  const { ours, peer, cpu } = await perRun({ ours: () => settingsOf(toolgate), peer: () => codingAgentTable(tools) })
  return result(ours, peer, { cpuMs: cpu.ours, firstMs: first })
}

/**
 * A toolgate whose rules and tools differ in one each from those of the last one: the application
 * made a new one, because nothing else can have another tool.
 */
async function table1000OneChanged() {
  const tools = sdkTools(generateTools(COUNT))
  const names = toolNames(COUNT)
  await settingsOf(await createToolgate(optionsFor(tools)))
  const variants = Array.from({ length: 13 }, (_, round) => {
    const changed = rules.map((rule, at) => (at === 500 ? { ...rule, action: round % 2 === 0 ? 'allow' : 'ask' } : rule))
    const schema = { type: 'object', properties: { [`field_${round}`]: { type: 'string' } } }
    return optionsFor({ ...tools, [names[500]]: sdkTool(`Changed ${round} times.`, schema) }, changed)
  })
  const { ours, peer, cpu } = await perRun(
    {
      ours: async (round) => settingsOf(await createToolgate(variants[round + 2])),
      peer: () => codingAgentTable(tools),
    },
    { rounds: 11 },
  )
  return result(ours, peer, { cpuMs: cpu.ours })
}

function result(ours, peer, beside) {
  return {
    ours,
    peer,
    ratio: peer / ours,
    unit: 'ms',
    ...beside,
    peerIs: 'what is disabled by RegExps built for each tool and rule, then a wrapper around each other tool',
    inputs: INPUTS,
    target: `ours <= ${TARGET_MS} ms`,
    met: ours <= TARGET_MS,
  }
}

export const benchmarks = { 'table-1000': table1000, 'table-1000-one-changed': table1000OneChanged }
