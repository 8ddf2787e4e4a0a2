// A table straight from the addon, without the TypeScript layer: for benchmarks of the core and of
// one crossing.
import * as binding from '#native'

/** Compiles one tool. */
export function compile(name, definition = {}) {
  return binding.compileTool(
    JSON.stringify({ name, source: `tools.${name}`, effect: 'read', isEffectDeclared: true, ...definition }),
  )
}

/** Registers tools of these names under the text of a configuration. */
export function registryOf(names, configText) {
  const config = binding.parseConfig(configText, 'bench', true, '')
  return binding.newRegistry(names.map((name) => compile(name)), config)
}

const TURN = JSON.stringify({ canAsk: true, hasStore: true })
const FACTS = {}

/** The table of an ordinary turn: `{ handle, states }`. */
export function tableOf(registry) {
  return binding.buildTable(registry, TURN, FACTS)
}

const ACTIONS = ['allow', 'ask', 'deny']

/** The action of a packed verdict. */
export function actionOf(verdict) {
  return ACTIONS[verdict % 4]
}
