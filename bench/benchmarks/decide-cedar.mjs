// One decision against Cedar in WebAssembly with a policy set that was parsed before.
//
// Cedar answers another question (order does not count, a forbid always wins), so the worst case is
// taken, where that makes no difference: of a thousand policies only one applies.
import * as cedar from '@cedar-policy/cedar-wasm/nodejs'

import { perOperation, rotating } from '../measure.mjs'
import { ruleSets, TOOL } from '../rule-sets.mjs'
import { contestantsFor, inputsOf } from './decide.mjs'

const SET = 'bench'

function policyOf({ permission, pattern, action }) {
  const effect = action === 'deny' ? 'forbid' : 'permit'
  const scope = permission === '*' ? 'action' : `action == Action::${JSON.stringify(permission)}`
  const like = pattern === '*' ? '' : ` when { context.command like ${JSON.stringify(pattern)} }`
  return `${effect}(principal, ${scope}, resource)${like};`
}

function decideWith(call) {
  return cedar.statefulIsAuthorized({
    principal: { type: 'User', id: 'agent' },
    action: { type: 'Action', id: TOOL },
    resource: { type: 'Tool', id: TOOL },
    context: { command: call },
    preparsedPolicySetId: SET,
    entities: [],
  })
}

function decideCedar() {
  const count = 1000
  const { rules } = ruleSets.worst(count)
  const parsed = cedar.preparsePolicySet(SET, { staticPolicies: rules.map(policyOf).join('\n') })
  if (parsed.type !== 'success') throw new Error(JSON.stringify(parsed.errors))
  const { calls, ours, mapIndex } = contestantsFor('worst', count)
  for (const call of calls) {
    const { type, response } = decideWith(call)
    if (type !== 'success' || response.decision !== 'allow' || response.diagnostics.errors.length > 0) {
      throw new Error(`cedar does not agree on \`${call}\``)
    }
  }
  const times = perOperation({ ours, cedar: rotating(calls, decideWith), mapIndex })
  const ratio = times.cedar / times.ours
  return {
    ours: times.ours,
    peer: times.cedar,
    ratio,
    unit: 'us',
    mapIndexUs: times.mapIndex,
    peerIs: '@cedar-policy/cedar-wasm, preparsed policy set, one `like` on the context a policy',
    inputs: inputsOf('worst', count, calls),
    target: 'ratio >= 500',
    met: ratio >= 500,
  }
}

export const benchmarks = { 'decide-cedar-1000': decideCedar }
