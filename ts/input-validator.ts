// Checks the input of tools whose schema checks nothing. It stands apart because the AI SDK asks
// twice (when it parses the call and when it executes) and the answer is remembered by object, so
// that a call costs one validation.

import { refuse, type Refusal } from './envelope.ts'
import { isRecord } from './get-own.ts'
import { faults, validate, type ToolHandle } from './native.ts'
import { validatingSchema } from './tool-schema.ts'

/** The check of one tool's input. */
export interface InputValidator {
  /** What replaces the schema of the tool, so that the AI SDK checks as well. */
  readonly schema: object
  /** Why `input` does not fit, or nothing when it does. */
  readonly check: (input: unknown) => Refusal | undefined
  /** Forgets that `input` fits: its call has come to its end. */
  readonly forget: (input: unknown) => void
}

/** How many calls of one tool may be between their parsing and their run without a second check. */
const rememberedInputs = 8

/** The check of the tool `name`, whose compiled schema is behind `handle`. */
export function inputValidator(name: string, handle: ToolHandle, jsonSchema: object): InputValidator {
  // By tool: an object that fits one tool says nothing about another. A few slots and no `WeakSet`,
  // which costs as much as the validation; what falls out of them is validated again.
  //
  // An object that was changed between its parsing and its run passes here as what it was. For a
  // plain call that is accepted: the AI SDK does both in a row on an object that only it holds, and
  // a second validation would make the call a third dearer. What is recorded or asked about is a
  // copy, which is no object of these, and is validated again.
  const fitting: unknown[] = Array.from({ length: rememberedInputs })
  let next = 0
  const check = (input: unknown): Refusal | undefined => {
    if (isRecord(input) && fitting.includes(input)) return undefined
    const answer = validate(handle, input)
    if (answer !== 0) return refusalFor(answer, name, handle, input)
    if (isRecord(input)) {
      fitting[next] = input
      next = (next + 1) % rememberedInputs
    }
    return undefined
  }
  const forget = (input: unknown): void => {
    const slot = fitting.indexOf(input)
    if (slot >= 0) fitting[slot] = undefined
  }
  const schema = validatingSchema(jsonSchema, (value) => {
    const refusal = check(value)
    return refusal === undefined
      ? { success: true, value }
      : { success: false, error: new Error(refusal.error.message) }
  })
  return { schema, check, forget }
}

function refusalFor(answer: number, name: string, handle: ToolHandle, input: unknown): Refusal {
  switch (answer) {
    case 1:
      return inputInvalid(name, describeFaults(handle, input))
    case 2:
      return refuse('INPUT_TOO_LARGE', `the input of \`${name}\` is nested too deeply`, { retryable: true })
    case 3:
      return refuse('INPUT_TOO_LARGE', `the input of \`${name}\` has too many values`, { retryable: true })
    default:
      return refuse('INTERNAL', `the input of \`${name}\` could not be checked`)
  }
}

/** The refusal of an input that does not fit; the model may try again with another. */
export function inputInvalid(name: string, complaint: string): Refusal {
  return refuse('INPUT_INVALID', `the input of \`${name}\` does not fit: ${complaint}`, { retryable: true })
}

function describeFaults(handle: ToolHandle, input: unknown): string {
  return faults(handle, input)
    .map(({ path, expected, got }) => `${path === '' ? 'the input' : path}: expected ${expected}, got ${got}`)
    .join('; ')
}
