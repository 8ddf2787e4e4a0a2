// The options of `createToolgate`, and their check. They stand apart because a misspelled option
// of a gate is a gate that does less than its author believes: every key is known, or it throws.

import type { Ask } from './ask.ts'
import { checkBoolean, checkKeys, checkObject, kindOf, optionInvalid } from './check.ts'
import { checkDeclarations, type DeclarationEntry, type Declarations } from './declaration.ts'
import { checkListeners, type Listeners } from './events.ts'
import { isRecord } from './get-own.ts'
import type { Store } from './store.ts'
import type { PermissionBlock } from './words.ts'

/** An AI SDK tool as it is: anything that has an input schema. */
export interface ToolLike {
  readonly inputSchema: unknown
}

/** Tools by name. */
export type ToolTable = Readonly<Record<string, ToolLike>>

/** The configuration as an object; the same keys as in `toolgate.jsonc`. */
export interface Config {
  readonly $schema?: string
  readonly permission?: PermissionBlock
  readonly [key: string]: unknown
}

/** What `createToolgate` takes. */
export interface ToolgateOptions<TOOLS extends ToolTable = ToolTable> {
  /** The path of a `toolgate.jsonc`, the same as an object, or `false` for none. */
  readonly config?: string | Config | false | undefined
  /** Whether a changed file is read again when a table is built. On unless `false`. */
  readonly reload?: boolean | undefined
  /** The tools, the way the AI SDK takes them. */
  readonly tools?: TOOLS | undefined
  /** What the tools do not say themselves, by name or glob. */
  readonly declare?: Declarations | undefined
  /** Asks a person inside the call. Without it, questions go through the approvals of the AI SDK. */
  readonly ask?: Ask | undefined
  /** Where calls are recorded so that none runs twice. `memoryStore()` when absent. */
  readonly store?: Store | false | undefined
  /** Signs the approval requests of the AI SDK. Random for this process when absent. */
  readonly secret?: string | Uint8Array | undefined
  /** Listeners by event name. */
  readonly on?: Listeners | undefined
}

/** The options after their check. */
export interface CheckedOptions {
  readonly config: string | object | false
  readonly mayReload: boolean
  readonly tools: ToolTable
  readonly declare: readonly DeclarationEntry[]
  readonly ask: Ask | undefined
  readonly store: Store | false | undefined
  readonly secret: string | Uint8Array | undefined
  readonly on: Listeners
}

const optionKeys = ['config', 'reload', 'tools', 'declare', 'ask', 'store', 'secret', 'on']

/** Checks every option; the first wrong one throws `OPTION_INVALID`. */
export function checkOptions(value: unknown): CheckedOptions {
  const given = checkObject(value, 'options')
  checkKeys(given, 'options', optionKeys)
  return {
    config: checkConfig(given['config']),
    mayReload: checkBoolean(given['reload'], 'reload') ?? true,
    tools: checkTools(given['tools']),
    declare: checkDeclarations(given['declare']),
    ask: checkAsk(given['ask']),
    store: checkStore(given['store']),
    secret: checkSecret(given['secret']),
    on: checkListeners(given['on']),
  }
}

function checkConfig(value: unknown): string | object | false {
  if (value === undefined || value === false) return false
  if (typeof value === 'string' && value !== '') return value
  if (isRecord(value) && !Array.isArray(value)) return value
  throw optionInvalid('config', `is ${kindOf(value)}`, 'pass a path, an object, or `false` for none')
}

function checkTools(value: unknown): ToolTable {
  if (value === undefined) return {}
  const given = checkObject(value, 'tools')
  for (const name of Object.keys(given)) {
    if (isTool(given[name])) continue
    const help = 'pass a tool of the AI SDK, or what `defineTool` returns'
    throw optionInvalid(`tools.${name}`, `is ${kindOf(given[name])} without \`inputSchema\``, help)
  }
  return Object.fromEntries(Object.entries(given).filter(isToolEntry))
}

function isTool(value: unknown): value is ToolLike {
  return isRecord(value) && ('inputSchema' in value || isProviderTool(value))
}

function isToolEntry(entry: [string, unknown]): entry is [string, ToolLike] {
  return isTool(entry[1])
}

/** Whether the provider runs the tool, or at least knows it by its own name. */
export function isProviderTool(tool: object): boolean {
  return 'type' in tool && (tool.type === 'provider' || tool.type === 'provider-defined')
}

function isAsk(value: unknown): value is Ask {
  return typeof value === 'function'
}

function checkAsk(value: unknown): Ask | undefined {
  if (value === undefined || isAsk(value)) return value
  throw optionInvalid('ask', `is ${kindOf(value)}`, 'pass a function `(question, { signal }) => decision`')
}

function isStore(value: unknown): value is Store {
  return isRecord(value) && typeof value['read'] === 'function' && typeof value['commit'] === 'function'
}

function checkStore(value: unknown): Store | false | undefined {
  if (value === undefined || value === false || isStore(value)) return value
  throw optionInvalid(
    'store',
    `is ${kindOf(value)}`,
    'pass `memoryStore()`, another store, or `false` for none',
  )
}

function checkSecret(value: unknown): string | Uint8Array | undefined {
  if (value === undefined || (value instanceof Uint8Array && value.length > 0)) return value
  if (typeof value === 'string' && value !== '') return value
  const written = value instanceof Uint8Array ? 'holds no bytes' : `is ${kindOf(value)}`
  throw optionInvalid('secret', written, 'pass a text or bytes that every instance shares')
}
