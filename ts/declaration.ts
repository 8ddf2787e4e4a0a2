// What an operator says about tools that do not say it themselves. It stands apart because the
// same declarations come from code, from the configuration file and from `defineTool`, and one
// place decides which of them counts.

import { checkBoolean, checkKeys, checkObject, checkText, kindOf, optionInvalid } from './check.ts'
import { effects, isEffect, type Effect } from './words.ts'

/** Which resources a call touches: a JSON pointer into the input, or a function of it. */
export type ResourcePattern = string | ((input: never) => string | readonly string[])

/** What a tool may do, and how rules speak of it. */
export interface Declaration {
  /** Undeclared tools count as `external-write`. */
  readonly effect?: Effect | undefined
  /** The group that toolsets of tenants name. */
  readonly category?: string | undefined
  readonly permission?:
    | {
        /** The name that rules use; the name of the tool when absent. */
        readonly name?: string | undefined
        /** What the patterns of rules are matched against; `*` when absent. */
        readonly pattern?: ResourcePattern | undefined
      }
    | undefined
  /** `execute` returns an async iterable although it is not an async generator function. */
  readonly streaming?: boolean | undefined
}

/** Declarations by tool name or glob. */
export type Declarations = Readonly<Record<string, Declaration>>

/** One declaration, and the name or glob it speaks of. */
export interface DeclarationEntry {
  readonly name: string
  /** Whether it speaks of the tool `name`; an exact name speaks of one. */
  readonly speaksOf: (name: string) => boolean
  readonly declaration: Declaration
}

/** The entry for `name`, whose glob is built once. */
export function declarationEntry(name: string, declaration: Declaration): DeclarationEntry {
  if (!isGlob(name)) return { name, declaration, speaksOf: (tool) => tool === name }
  const pattern = patternOf(name)
  return { name, declaration, speaksOf: (tool) => pattern.test(tool) }
}

const declarationKeys = ['effect', 'category', 'permission', 'streaming']

/** Checks what was passed as `declare`. */
export function checkDeclarations(value: unknown): DeclarationEntry[] {
  if (value === undefined) return []
  return Object.entries(checkObject(value, 'declare')).map(([name, declaration]) =>
    declarationEntry(name, checkDeclaration(declaration, `declare.${name}`)),
  )
}

/** Checks the declaration of one tool. */
export function checkDeclaration(value: unknown, path: string): Declaration {
  const given = checkObject(value, path)
  checkKeys(given, path, declarationKeys)
  return readDeclaration(given, path)
}

/** Reads the fields of a declaration out of an object that has other fields as well. */
export function readDeclaration(given: Record<PropertyKey, unknown>, path: string): Declaration {
  const effect = given['effect']
  if (effect !== undefined && !isEffect(effect)) {
    const written = typeof effect === 'string' ? `is \`${effect}\`` : `is ${kindOf(effect)}`
    const list = effects.map((known) => `\`${known}\``).join(', ')
    throw optionInvalid(`${path}.effect`, written, `use one of ${list}`)
  }
  return {
    effect,
    category: checkText(given['category'], `${path}.category`),
    permission: checkPermission(given['permission'], `${path}.permission`),
    streaming: checkBoolean(given['streaming'], `${path}.streaming`),
  }
}

function checkPermission(value: unknown, path: string): Declaration['permission'] {
  if (value === undefined) return undefined
  const given = checkObject(value, path)
  checkKeys(given, path, ['name', 'pattern'])
  return {
    name: checkText(given['name'], `${path}.name`),
    pattern: checkPattern(given['pattern'], `${path}.pattern`),
  }
}

function checkPattern(value: unknown, path: string): ResourcePattern | undefined {
  if (value === undefined || isPatternFunction(value)) return value
  if (typeof value === 'string' && value.startsWith('/')) return value
  const written = typeof value === 'string' ? `is \`${value}\`` : `is ${kindOf(value)}`
  throw optionInvalid(path, written, 'use a JSON pointer like `/orderId`, or a function of the input')
}

function isPatternFunction(value: unknown): value is (input: never) => string | readonly string[] {
  return typeof value === 'function'
}

/**
 * The declaration that counts for `name`, field by field.
 *
 * First, what the tool says of itself. Then, entries in order, a later one over an earlier one.
 * An exact name counts over every glob of the same list, wherever it stands, because `'*'` written
 * after `refund` must not loosen `refund`.
 */
export function declarationFor(
  name: string,
  own: Declaration,
  ...lists: readonly (readonly DeclarationEntry[])[]
): Declaration {
  let result = own
  for (const list of lists) {
    const about = list.filter(({ speaksOf }) => speaksOf(name))
    for (const entry of about) if (entry.name !== name) result = merge(result, entry.declaration)
    for (const entry of about) if (entry.name === name) result = merge(result, entry.declaration)
  }
  return result
}

/** Whether a declared name speaks of more than one tool. */
function isGlob(name: string): boolean {
  return name.includes('*') || name.includes('?')
}

/** `*` is any run of characters, `?` is one. */
function patternOf(glob: string): RegExp {
  const source = glob
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*+/g, '.*')
    .replace(/\?/g, '.')
  return new RegExp(`^${source}$`, 's')
}

function merge(under: Declaration, over: Declaration): Declaration {
  return {
    effect: over.effect ?? under.effect,
    category: over.category ?? under.category,
    permission: {
      name: over.permission?.name ?? under.permission?.name,
      pattern: over.permission?.pattern ?? under.permission?.pattern,
    },
    streaming: over.streaming ?? under.streaming,
  }
}
