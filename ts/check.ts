// Checks values that a developer wrote: options, declarations, turns. It stands apart so that all
// of them answer in the same words: what was written, where, and what is taken instead.

import { ToolgateError, type Code } from './errors.ts'
import { isRecord } from './get-own.ts'
import { suggestion } from './nearest.ts'

/** The error for the option at `path`. */
export function optionInvalid(path: string, complaint: string, help: string): ToolgateError {
  return new ToolgateError({ code: 'OPTION_INVALID', message: `\`${path}\` ${complaint}`, help })
}

/** Refuses keys that nobody reads: an option that is spelled wrong must not be silently off. */
export function checkKeys(value: object, path: string, known: readonly string[]): void {
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue
    throw new ToolgateError({
      code: 'OPTION_INVALID',
      message: `\`${path}\` has an unknown key \`${key}\``,
      help: suggestion(key, known),
    })
  }
}

/**
 * The object at `path`. Only a plain one: a `Map` has no keys to read, and an instance inherits
 * what nobody looks at, so both would count for less than was written.
 */
export function checkObject(value: unknown, path: string): Record<PropertyKey, unknown> {
  if (isRecord(value) && isPlain(value)) return value
  throw optionInvalid(path, `is ${kindOf(value)}`, 'pass an object')
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Deeper than any configuration; what contains itself is deeper than that. */
const maxNesting = 100

/**
 * Refuses rules at `path` that JSON would not keep as they were written.
 *
 * `JSON.stringify` drops a `Map`, a function and `undefined` in silence, and a dropped rule may be
 * the one that denies.
 */
export function checkJson(value: unknown, path: string, code: Code, depth = 0): void {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return
    case 'number':
      if (Number.isFinite(value)) return
      throw notJson(path, `is ${value}`, code)
    case 'object':
      if (value === null) return
      if (depth > maxNesting) throw notJson(path, 'contains itself or is nested too deeply', code)
      if (!Array.isArray(value) && !isPlain(value)) throw notJson(path, `is ${kindOf(value)}`, code)
      checkMembers(value, path, code, depth)
      return
    default:
      throw notJson(path, `is ${kindOf(value)}`, code)
  }
}

function checkMembers(value: object, path: string, code: Code, depth: number): void {
  const isList = Array.isArray(value)
  const keys = Object.keys(value)
  // The length of a list is a hidden name of its own.
  const hidden = Object.getOwnPropertyNames(value).length - (isList ? 1 : 0) - keys.length
  const isWhole = hidden === 0 && (!isList || keys.length === value.length)
  if (!isWhole || Object.getOwnPropertySymbols(value).some((key) => isEnumerable(value, key))) {
    throw notJson(path, isList ? 'has holes or named members' : 'has members that JSON does not see', code)
  }
  for (const key of keys) {
    const member = Object.getOwnPropertyDescriptor(value, key)
    const at = isList ? `${path}[${key}]` : `${path}.${key}`
    // A getter may answer otherwise the next time.
    if (member === undefined || !('value' in member)) throw notJson(at, 'is a getter', code)
    checkJson(member.value, at, code, depth + 1)
  }
}

function isEnumerable(value: object, key: PropertyKey): boolean {
  return Object.prototype.propertyIsEnumerable.call(value, key)
}

function notJson(path: string, complaint: string, code: Code): ToolgateError {
  return new ToolgateError({
    code,
    message: `\`${path}\` ${complaint}`,
    help: 'write texts, numbers, booleans, lists and plain objects, and leave out what is not meant',
  })
}

/** The text at `path`, or nothing. An empty text is an error: it names nobody. */
export function checkText(value: unknown, path: string): string | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'string' && value !== '') return value
  throw optionInvalid(path, `is ${kindOf(value)}`, 'pass a text that is not empty, or leave it out')
}

/** The boolean at `path`, or nothing. */
export function checkBoolean(value: unknown, path: string): boolean | undefined {
  if (value === undefined || typeof value === 'boolean') return value
  throw optionInvalid(path, `is ${kindOf(value)}`, 'pass `true` or `false`, or leave it out')
}

/** What `value` is, in words; never the value itself, which may be a secret. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (value === '') return 'an empty text'
  if (Array.isArray(value)) return 'an array'
  switch (typeof value) {
    case 'object':
      return isPlain(value) ? 'an object' : instanceKind(value)
    case 'string':
      return 'a text'
    case 'undefined':
      return 'missing'
    default:
      return `a ${typeof value}`
  }
}

function instanceKind(value: object): string {
  const prototype: unknown = Object.getPrototypeOf(value)
  const maker = isRecord(prototype) ? prototype['constructor'] : undefined
  return typeof maker === 'function' && maker !== Object && maker.name !== ''
    ? `an instance of \`${maker.name}\``
    : 'an object with a prototype of its own'
}
