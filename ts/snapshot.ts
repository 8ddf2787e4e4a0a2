// The rules and the tools as they are at one moment. It stands apart because a table keeps the
// snapshot it was built from: a reload makes a new one and never changes an old one.

import { declarationEntry, type DeclarationEntry } from './declaration.ts'
import type { ConfigSource } from './load-config.ts'
import {
  configSummary,
  newRegistry,
  type ConfigHandle,
  type ConfigSummary,
  type RegistryHandle,
} from './native.ts'
import { registerTools, type RegisteredTool, type ToolCandidate } from './register-tools.ts'

/** A configuration with the tools registered under it. */
export interface Snapshot {
  readonly summary: ConfigSummary
  readonly registry: RegistryHandle
  /** In the order of the application; the position is the index that the core knows. */
  readonly tools: readonly RegisteredTool[]
}

/** Gives the snapshot of the configuration as it is now; throws while it is broken. */
export function snapshotsOf(
  source: ConfigSource,
  candidates: readonly ToolCandidate[],
  inCode: readonly DeclarationEntry[],
): () => Snapshot {
  let config: ConfigHandle | undefined
  let current: Snapshot | undefined
  return () => {
    const now = source()
    if (current === undefined || now !== config) {
      current = take(now, candidates, inCode)
      config = now
    }
    return current
  }
}

function take(
  config: ConfigHandle,
  candidates: readonly ToolCandidate[],
  inCode: readonly DeclarationEntry[],
): Snapshot {
  const summary = configSummary(config)
  const tools = registerTools(candidates, inCode, summary.declare.map(({ name, ...declaration }) => declarationEntry(name, declaration)))
  const registry = newRegistry(
    tools.map(({ handle }) => handle),
    config,
  )
  return { summary, registry, tools }
}
