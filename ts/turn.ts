// What `table()` takes, and its check. It stands apart because a turn comes close to request data:
// a role or a tenant that is silently ignored would be a decision with the wrong rules.

import { checkBoolean, checkJson, checkKeys, checkObject, checkText, kindOf, optionInvalid } from './check.ts'
import { isRecord } from './get-own.ts'
import type { PermissionBlock } from './words.ts'

/** The model of a turn: `provider/id`, or the model object of the AI SDK. */
export type ModelOption = string | { readonly provider: string; readonly modelId: string }

/** Who is served, with which model, and what this one request changes. */
export interface Turn {
  readonly model?: ModelOption | undefined
  readonly role?: string | undefined
  /** The conversation. A random one that ends with the table when absent. */
  readonly session?: string | undefined
  readonly tenant?: string | undefined
  readonly principal?: string | undefined
  /** Which user message is answered; found in the messages when absent. */
  readonly turn?: string | undefined
  readonly messageId?: string | undefined
  readonly flags?: readonly string[] | undefined
  /** Tools of this request, by name or glob. `true` undoes an earlier `false` and lifts nothing else. */
  readonly tools?: Readonly<Record<string, boolean>> | undefined
  /** Rules of this session, over those of the configuration. */
  readonly permission?: PermissionBlock | undefined
  /** Guarded calls are recorded and do not run. */
  readonly shadow?: boolean | undefined
  readonly abortSignal?: AbortSignal | undefined
}

/** What `table.child()` takes; everything else is the parent's. */
export type ChildTurn = Pick<
  Turn,
  'model' | 'role' | 'turn' | 'messageId' | 'flags' | 'tools' | 'permission' | 'shadow' | 'abortSignal'
>

/** A turn after its check. */
export interface CheckedTurn {
  readonly model: { readonly provider: string; readonly id: string } | null
  readonly role: string | undefined
  readonly session: string | undefined
  readonly tenant: string | undefined
  readonly principal: string | undefined
  readonly turn: string | undefined
  readonly messageId: string | undefined
  readonly flags: readonly string[]
  readonly tools: readonly (readonly [string, boolean])[]
  readonly permission: unknown
  readonly isShadow: boolean
  readonly abortSignal: AbortSignal | undefined
}

const childKeys = [
  'model',
  'role',
  'turn',
  'messageId',
  'flags',
  'tools',
  'permission',
  'shadow',
  'abortSignal',
]

/** The keys that `table()` takes. */
export const turnKeys: readonly string[] = [...childKeys, 'session', 'tenant', 'principal']

/** The keys that `table.child()` takes. */
export const childTurnKeys: readonly string[] = childKeys

/** Checks every key; the first wrong one throws `OPTION_INVALID`. */
export function checkTurn(value: unknown, keys: readonly string[]): CheckedTurn {
  const given = checkObject(value, 'turn')
  checkKeys(given, 'turn', keys)
  return {
    model: checkModel(given['model']),
    role: checkName(given['role'], 'turn.role'),
    session: checkName(given['session'], 'turn.session'),
    tenant: checkName(given['tenant'], 'turn.tenant'),
    principal: checkName(given['principal'], 'turn.principal'),
    turn: checkName(given['turn'], 'turn.turn'),
    messageId: checkName(given['messageId'], 'turn.messageId'),
    flags: checkFlags(given['flags']),
    tools: checkToolSwitches(given['tools']),
    permission: checkPermissionBlock(given['permission']),
    isShadow: checkBoolean(given['shadow'], 'turn.shadow') ?? false,
    abortSignal: checkSignal(given['abortSignal']),
  }
}

function checkName(value: unknown, path: string): string | undefined {
  const text = checkText(value, path)
  if (text !== undefined) checkWellFormed(text, path)
  return text
}

/** Half of a surrogate pair would become another character on the way, and so somebody else's name. */
function checkWellFormed(text: string, path: string): void {
  // With the flag `u` a pair is one character, so only a half matches.
  if (!/\p{Surrogate}/u.test(text)) return
  throw optionInvalid(path, 'holds half of a surrogate pair', 'pass a text that is whole')
}

function checkModel(value: unknown): CheckedTurn['model'] {
  const model = readModel(value)
  if (model !== null) checkWellFormed(`${model.provider}/${model.id}`, 'turn.model')
  return model
}

function readModel(value: unknown): CheckedTurn['model'] {
  if (value === undefined) return null
  if (typeof value === 'string' && value !== '') {
    const slash = value.indexOf('/')
    // A bare id is a gateway shorthand without a provider: globs on the provider do not match it.
    return slash < 0
      ? { provider: '', id: value }
      : { provider: value.slice(0, slash), id: value.slice(slash + 1) }
  }
  if (isRecord(value) && typeof value['modelId'] === 'string') {
    const provider = value['provider']
    return { provider: typeof provider === 'string' ? provider : '', id: value['modelId'] }
  }
  throw optionInvalid(
    'turn.model',
    `is ${kindOf(value)}`,
    "pass 'provider/id' or the model object of the AI SDK",
  )
}

function checkFlags(value: unknown): readonly string[] {
  if (value === undefined) return []
  if (Array.isArray(value) && value.every((flag) => typeof flag === 'string')) {
    for (const flag of value) checkWellFormed(flag, 'turn.flags')
    return value
  }
  throw optionInvalid('turn.flags', `is ${kindOf(value)}`, 'pass a list of texts')
}

function checkToolSwitches(value: unknown): (readonly [string, boolean])[] {
  if (value === undefined) return []
  return Object.entries(checkObject(value, 'turn.tools')).map(([name, isOn]) => {
    if (typeof isOn === 'boolean') return [name, isOn] as const
    throw optionInvalid(`turn.tools.${name}`, `is ${kindOf(isOn)}`, 'pass `true` or `false`')
  })
}

/** Only the form is checked here; the core reads the rules and reports what is wrong in them. */
function checkPermissionBlock(value: unknown): unknown {
  if (value === undefined || typeof value === 'string') return value
  const block = checkObject(value, 'turn.permission')
  checkJson(block, 'turn.permission', 'OPTION_INVALID')
  return block
}

function checkSignal(value: unknown): AbortSignal | undefined {
  if (value === undefined || value instanceof AbortSignal) return value
  throw optionInvalid('turn.abortSignal', `is ${kindOf(value)}`, 'pass an `AbortSignal`')
}
