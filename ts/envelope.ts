// The one success or error value of a call, and the refusals that TypeScript itself decides. It
// stands apart because `table.call`, the ledger and the AI SDK adapter all see the same form.

import { RefusalError, type Code } from './errors.ts'

/** What a result says about itself. */
export interface EnvelopeMeta {
  /** The call ran earlier; this is its stored result. */
  readonly replayed?: true
  /** A shadow run: the call was allowed and did not run. */
  readonly suppressed?: true
}

/** Why a call gave no output. */
export interface EnvelopeError {
  readonly code: Code
  /** One sentence, safe to show to the model. */
  readonly message: string
  /** What to do about it. */
  readonly help?: string
  /** Whether the same call may be tried again. */
  readonly retryable: boolean
}

/** The outcome of a call as a value. */
export type Envelope<OUTPUT = unknown> =
  | { readonly ok: true; readonly output: OUTPUT; readonly meta: EnvelopeMeta }
  | { readonly ok: false; readonly error: EnvelopeError }

/** The outcome of a call that gave no output. */
export type Refusal = Extract<Envelope, { ok: false }>

/** A refusal as a value. */
export function refuse(
  code: Code,
  message: string,
  more: { help?: string | undefined; retryable?: boolean } = {},
): Refusal {
  const { help, retryable = false } = more
  return {
    ok: false,
    error: help === undefined ? { code, message, retryable } : { code, message, help, retryable },
  }
}

/** A refusal as the error that the AI SDK turns into a tool error. */
export function refusalError(...parts: Parameters<typeof refuse>): RefusalError {
  return new RefusalError(refuse(...parts))
}

/** The longest text of a person or a tool that reaches the model inside a refusal. */
const maxQuoteChars = 1000

/** `text`, cut at a character boundary when somebody wrote a novel. */
export function quote(text: string): string {
  if (text.length <= maxQuoteChars) return text
  // A surrogate pair cut in two would be a lone surrogate on the wire.
  return `${text.slice(0, maxQuoteChars).replace(/[\uD800-\uDBFF]$/, '')} …`
}

/** Said of what carries no message that could be shown. */
const speechless = 'an error that cannot be shown'

/**
 * What anything thrown says in words, without half surrogate pairs, which no record can keep.
 *
 * Total, because a tool may throw anything. Only a message is told: an object that is no error may
 * hold the request that failed, with its secrets, and the model reads this.
 */
export function messageOf(thrown: unknown): string {
  try {
    if (typeof thrown === 'string') return wellFormed(thrown)
    if (!(thrown instanceof Error)) return speechless
    // By its type an error has a text there; whoever made it may have written anything.
    const words: unknown[] = [thrown.message, thrown.name]
    return wellFormed(words.filter(isText).find((text) => text !== '') ?? speechless)
  } catch {
    // The reason is lost, the failure is not: the caller reports it with this text.
    return speechless
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

/** `text` with every half of a surrogate pair replaced: the core takes none. */
export function wellFormed(text: string): string {
  // With the flag `u` a pair is one character, so only a half matches.
  return text.replaceAll(/\p{Surrogate}/gu, '\uFFFD')
}
