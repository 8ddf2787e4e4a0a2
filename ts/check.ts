// Checks values that a developer wrote: options, declarations, turns. It stands apart so that all
// of them answer in the same words: what was written, where, and what is taken instead.

import { ToolgateError } from './errors.ts'
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

/** The object at `path`. */
export function checkObject(value: unknown, path: string): Record<PropertyKey, unknown> {
  if (isRecord(value) && !Array.isArray(value)) return value
  throw optionInvalid(path, `is ${kindOf(value)}`, 'pass an object')
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
      return 'an object'
    case 'string':
      return 'a text'
    case 'undefined':
      return 'missing'
    default:
      return `a ${typeof value}`
  }
}
