// Which of a thousand tools a turn may see, under a thousand rules: nothing else of a table.
import { disabled } from '../coding-agent.mjs'
import { perRun } from '../measure.mjs'
import { registryOf, tableOf } from '../native-table.mjs'
import { configOf, toolNames, visibilitySets } from '../rule-sets.mjs'

/** How many tables make one measured run of ours; one alone is too short to time. */
const TABLES = 20

function visibilityBenchmark(setName) {
  return async () => {
    const rules = visibilitySets[setName](1000)
    const names = toolNames(1000)
    const text = configOf(rules)
    const registry = registryOf(names, text)
    agree(tableOf(registry).states, disabled(rules, names), names)
    // The first table of a registry looks up what the rules say about each tool; the others find it there.
    const fresh = Array.from({ length: 11 }, () => registryOf(names, text))
    const { ours, first, peer, cpu } = await perRun(
      {
        ours: () => repeat(TABLES, () => tableOf(registry)),
        first: (round) => tableOf(fresh[round + 2]),
        peer: () => disabled(rules, names),
      },
      { rounds: 9, warmUps: 2 },
    )
    const ratio = peer / (ours / TABLES)
    return {
      ours: ours / TABLES,
      peer,
      ratio,
      unit: 'ms',
      firstOfRegistryMs: first,
      firstRatio: peer / first,
      cpuRatio: cpu.peer / (cpu.ours / TABLES),
      peerIs: 'the last rule whose permission glob, built into a RegExp for each tool and rule, matches the name',
      inputs: `rule set \`${setName}\` of 1000, 1000 tools such as \`${names[17]}\``,
      target: 'ratio >= 300',
      met: ratio >= 300,
    }
  }
}

/** A hidden tool of the coding-agent way has to be hidden here, and the other way round. */
function agree(states, hidden, names) {
  const wrong = names.filter((name, at) => (states[at] !== 0) !== hidden.has(name))
  if (wrong.length > 0) throw new Error(`visibility differs for ${wrong.length} tools, such as ${wrong[0]}`)
}

function repeat(count, operation) {
  for (let at = 1; at < count; at += 1) operation()
  return operation()
}

export const benchmarks = {
  'visibility-1000-worst': visibilityBenchmark('names-no-tool'),
  'visibility-1000-typical': visibilityBenchmark('by-tool'),
}
