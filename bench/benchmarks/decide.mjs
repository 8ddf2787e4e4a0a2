// One decision, crossing included: the addon, the coding-agent way, and a Map index in JavaScript.
import * as binding from '#native'

import { evaluate } from '../coding-agent.mjs'
import { mapIndex } from '../map-index.mjs'
import { perOperation, rotating } from '../measure.mjs'
import { actionOf, registryOf, tableOf } from '../native-table.mjs'
import { configOf, ruleSets, TOOL } from '../rule-sets.mjs'

const CODING_AGENT = 'both globs of each rule built into a RegExp at every call, from the last rule on'

/** The same rules in three forms; throws where they disagree about a call. */
export function contestantsFor(setName, count) {
  const { rules, calls } = ruleSets[setName](count)
  const { handle } = tableOf(registryOf([TOOL], configOf(rules)))
  const byMap = mapIndex(rules)
  for (const call of calls) {
    const answers = [actionOf(binding.decide(handle, 0, call)), evaluate(rules, TOOL, call), byMap(TOOL, call)]
    if (new Set(answers).size !== 1) throw new Error(`${setName}-${count} on \`${call}\`: ${answers.join(', ')}`)
  }
  return {
    calls,
    ours: rotating(calls, (call) => binding.decide(handle, 0, call)),
    codingAgent: rotating(calls, (call) => evaluate(rules, TOOL, call)),
    mapIndex: rotating(calls, (call) => byMap(TOOL, call)),
  }
}

function decideBenchmark(setName, count, target) {
  return () => {
    const { calls, ...contestants } = contestantsFor(setName, count)
    const { ours, codingAgent, mapIndex: mapIndexUs } = perOperation(contestants)
    return {
      ours,
      peer: codingAgent,
      ratio: codingAgent / ours,
      unit: 'us',
      mapIndexUs,
      peerIs: CODING_AGENT,
      inputs: inputsOf(setName, count, calls),
      ...(target === undefined ? {} : { target: `ratio >= ${target}`, met: codingAgent / ours >= target }),
    }
  }
}

export function inputsOf(setName, count, calls) {
  return `rule set \`${setName}\` of ${count}, ${calls.length} calls such as \`${calls[0]}\``
}

/** What grows with the rules when few of them name the tool: nothing should. */
function fewOfTenThousand() {
  const small = contestantsFor('few-name-the-tool', 100)
  const large = contestantsFor('few-name-the-tool', 10_000)
  const times = perOperation({
    at10000: large.ours,
    at100: small.ours,
    codingAgentUs: large.codingAgent,
    mapIndexUs: large.mapIndex,
    mapIndexAt100Us: small.mapIndex,
  })
  const { at10000, at100, ...beside } = times
  return {
    ours: at10000,
    peer: at100,
    ratio: at10000 / at100,
    unit: 'us',
    ...beside,
    peerIs: 'the same gate under 100 rules; the same twenty of them name the tool',
    inputs: inputsOf('few-name-the-tool', 10_000, large.calls),
    target: 'ratio <= 4',
    met: at10000 / at100 <= 4,
  }
}

export const benchmarks = {
  'decide-10-worst': decideBenchmark('worst', 10, 10),
  'decide-10-typical': decideBenchmark('typical', 10, 10),
  'decide-100-worst': decideBenchmark('worst', 100),
  'decide-100-typical': decideBenchmark('typical', 100),
  'decide-100-leading-star': decideBenchmark('leading-star', 100),
  'decide-1000-worst': decideBenchmark('worst', 1000, 300),
  'decide-1000-typical': decideBenchmark('typical', 1000, 100),
  'decide-1000-leading-star': decideBenchmark('leading-star', 1000),
  'decide-10000-worst': decideBenchmark('worst', 10_000),
  'decide-10000-few': fewOfTenThousand,
}
