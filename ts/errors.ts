// The errors that leave the package: what the host did wrong (`ToolgateError`), what a tool knows
// about its own failure (`ToolError`), and a refusal on its way to the AI SDK (`RefusalError`).
// They stand together because each carries a marker: two copies of a package break `instanceof`.

import type { Envelope } from './envelope.ts'
import { isRecord } from './get-own.ts'

/** Every stable code; the meaning of each stands in `docs/errors.md`. Codes are never renamed. */
export const codes = [
  'TOOL_NAME_ILLEGAL',
  'TOOL_NAME_TAKEN',
  'SCHEMA_INVALID',
  'CONFIG_SYNTAX',
  'CONFIG_UNKNOWN_KEY',
  'CONFIG_INVALID',
  'CONFIG_DUPLICATE_KEY',
  'CONFIG_LOOSENS',
  'RULE_INVALID',
  'CONDITION_INVALID',
  'OPTION_INVALID',
  'ROLE_UNKNOWN',
  'SESSION_FOREIGN',
  'SESSION_REQUIRED',
  'TOOL_UNKNOWN',
  'INPUT_INVALID',
  'INPUT_NOT_CANONICAL',
  'INPUT_TOO_LARGE',
  'PERMISSION_DENIED',
  'APPROVAL_REJECTED',
  'APPROVAL_REQUIRED',
  'APPROVAL_EXPIRED',
  'UNGUARDED_EFFECT',
  'CONFLICT',
  'CALL_IN_PROGRESS',
  'OUTCOME_UNKNOWN',
  'TOOL_FAILED',
  'CALL_ABORTED',
  'STORE_UNAVAILABLE',
  'NATIVE_MISSING',
  'INTERNAL',
] as const

/** A stable code: what went wrong, for programs. */
export type Code = (typeof codes)[number]

const known: ReadonlySet<string> = new Set(codes)

/** Whether `text` is one of the codes. */
export function isCode(text: unknown): text is Code {
  return typeof text === 'string' && known.has(text)
}

/** Where in a text something stands. Lines and columns count from 1. */
export interface Span {
  readonly file: string
  readonly line: number
  readonly column: number
  /** The source line and a caret under the place. */
  readonly caret: string
}

const toolgateMarker = Symbol.for('toolgate.error')
const refusalMarker = Symbol.for('toolgate.refusal')
const toolMarker = Symbol.for('toolgate.tool-error')

function mark(error: Error, marker: symbol): void {
  Object.defineProperty(error, marker, { value: true })
}

function hasMarker(value: unknown, marker: symbol): value is object {
  try {
    return typeof value === 'object' && value !== null && marker in value
  } catch {
    // A proxy may throw at every look; it is none of ours.
    return false
  }
}

/** Whether `value` carries a refusal that can be passed on; a marker alone anybody may set. */
function holdsRefusal(value: object): boolean {
  try {
    const envelope: unknown = 'envelope' in value ? value.envelope : undefined
    if (!isRecord(envelope) || envelope['ok'] !== false) return false
    const error = envelope['error']
    return isRecord(error) && isCode(error['code']) && typeof error['message'] === 'string'
  } catch {
    return false
  }
}

/** What the host did wrong: a stable code, what was written, and what to do instead. */
export class ToolgateError extends Error {
  override readonly name = 'ToolgateError'
  readonly code: Code
  /** What to do. */
  readonly help: string | undefined
  /** Where it was written, when it was written in a file. */
  readonly span: Span | undefined

  constructor(fault: {
    code: Code
    message: string
    help?: string | undefined
    span?: Span | undefined
    cause?: unknown
  }) {
    super(fault.message, fault.cause === undefined ? undefined : { cause: fault.cause })
    mark(this, toolgateMarker)
    this.code = fault.code
    this.help = fault.help
    this.span = fault.span
  }

  /** Whether `value` is one, also when another copy of the package made it. */
  static isInstance(value: unknown): value is ToolgateError {
    return hasMarker(value, toolgateMarker)
  }
}

/**
 * A refused call, as the AI SDK sees it: thrown from `execute`, so that the output type of the
 * tool stays honest. The message is short and safe to show to the model and to a user.
 */
export class RefusalError extends Error {
  override readonly name = 'Refused'
  /** The same refusal as a value, the way `table.call` returns it. */
  readonly envelope: Extract<Envelope, { ok: false }>

  constructor(envelope: Extract<Envelope, { ok: false }>) {
    const { message, help } = envelope.error
    super(help === undefined ? message : `${message}. ${help}`)
    mark(this, refusalMarker)
    this.envelope = envelope
  }

  /** Whether `value` is one, also when another copy of the package made it. */
  static isInstance(value: unknown): value is RefusalError {
    return hasMarker(value, refusalMarker) && holdsRefusal(value)
  }
}

/** An error by which a tool tells what it knows about its own failure. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
  /** `not-applied`: the call had no effect, so it may safely be tried again. */
  readonly outcome = 'not-applied'

  private constructor(message: string, options?: { cause?: unknown }) {
    super(message, options)
    mark(this, toolMarker)
  }

  /**
   * The call failed before it changed anything.
   *
   * Without this, a guarded call that throws counts as unknown, and a person has to look before
   * it can run again.
   */
  static notApplied(message: string, options?: { cause?: unknown }): ToolError {
    return new ToolError(message, options)
  }

  /** Whether `value` is one, also when another copy of the package made it. */
  static isInstance(value: unknown): value is ToolError {
    return hasMarker(value, toolMarker)
  }
}
