// Puts a toolgate together: options checked, tools read, configuration opened, and everything that
// can fail failing here, at start, and not in the middle of a conversation.

import { buildTable } from './build-table.ts'
import { addListeners, Events, type On } from './events.ts'
import type { Core } from './gate.ts'
import { Sessions } from './identity.ts'
import { openLedger, type Ledger } from './ledger.ts'
import { openConfig } from './load-config.ts'
import { memoryStore } from './memory-store.ts'
import { transition } from './native.ts'
import { checkOptions, type CheckedOptions, type ToolgateOptions, type ToolTable } from './options.ts'
import { checkDeclaredNames, declareLine, readCandidates } from './register-tools.ts'
import { snapshotsOf, type Snapshot } from './snapshot.ts'
import type { Table } from './table.ts'
import { Turnstile } from './turnstile.ts'
import type { Turn } from './turn.ts'

/** Builds tables. One for each process. */
export interface Toolgate<TOOLS> {
  /** The table of one request. Cheap; throws where the configuration was edited and is broken. */
  readonly table: (turn?: Turn) => Promise<Table<TOOLS>>
  /** Listens to all tables; what it returns stops listening. */
  readonly on: On
}

/**
 * Creates the gate between a model and its tools.
 *
 * ```ts
 * const toolgate = await createToolgate({
 *   tools: { weather },
 *   declare: { weather: { effect: 'read' } },
 * })
 * const table = await toolgate.table({ session: id })
 * streamText({ model, messages: await table.messages(messages), ...table.settings })
 * ```
 */
export function createToolgate<TOOLS extends ToolTable = ToolTable>(
  options: ToolgateOptions<TOOLS>,
): Promise<Toolgate<TOOLS>>
export async function createToolgate(options: unknown): Promise<Toolgate<ToolTable>> {
  const checked = checkOptions(options)
  const events = new Events()
  addListeners(events, checked.on)
  const candidates = await readCandidates(checked.tools)
  checkDeclaredNames(candidates, checked.declare)
  const config = await openConfig(checked.config, checked.mayReload)
  const snapshots = snapshotsOf(config, candidates, checked.declare)
  const first = snapshots()
  warnAtStart(events, checked, first)
  const core: Core = {
    ask: checked.ask,
    ledger: ledgerOf(checked),
    secret: () => checked.secret ?? secretOfProcess(),
    sessions: new Sessions(),
    turnstile: new Turnstile(),
  }
  return {
    table: async (turn = {}) => buildTable(core, snapshots(), events, turn),
    on: events.on,
  }
}

/** Signs approval requests where the application gave no secret; gone when the process is. */
let processSecret: Uint8Array | undefined
function secretOfProcess(): Uint8Array {
  return (processSecret ??= crypto.getRandomValues(new Uint8Array(32)))
}

function ledgerOf({ store }: CheckedOptions): Ledger | undefined {
  return store === false ? undefined : openLedger({ store: store ?? memoryStore(), transition })
}

function warnAtStart(events: Events, { store }: CheckedOptions, { tools, summary }: Snapshot): void {
  for (const message of summary.warnings) events.warn(message, 'look at the configuration')
  const undeclared = tools.filter(({ isDeclared, isProvider }) => !isDeclared && !isProvider)
  if (undeclared.length > 0) {
    const names = undeclared.map(({ name }) => name)
    events.warn(
      `these tools declare no effect and count as \`external-write\`: ${names.map((name) => `\`${name}\``).join(', ')}`,
      `declare what they may do, for example \`${declareLine(names)}\``,
    )
  }
  if (!tools.some(({ isGuarded }) => isGuarded)) return
  if (store === undefined) {
    events.warn(
      'no `store` was given, so calls are recorded in memory and forgotten at exit',
      'pass a durable store, or `store: memoryStore()` where that is meant',
    )
  }
  if (store === false) {
    events.warn(
      'without a store every call of a guarded tool is refused (`UNGUARDED_EFFECT`)',
      'pass a store, or declare the tools that change nothing as `read`',
    )
  }
}
