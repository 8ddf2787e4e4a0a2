// Says which call a call is: its session, its turn, its id. It stands apart because at-most-once
// execution hangs on these three, and each of them has to be found the same way in the request
// that asks and in the request that carries the answer.

import { ToolgateError } from './errors.ts'
import { ownProperty, ownText } from './get-own.ts'
import { textHash } from './native.ts'

/** What the toolgate remembers of a session. */
export interface SessionMemory {
  readonly tenant: string | undefined
  readonly principal: string | undefined
  /** Answers "always", in the form that `ask-memory.ts` writes. */
  readonly always: Set<string>
}

const maxSessions = 10_000
const sessionAgeMs = 24 * 60 * 60 * 1000

/** The sessions of one toolgate: who they belong to, the least recently used forgotten first. */
export class Sessions {
  readonly #bySession = new Map<string, { memory: SessionMemory; usedAtMs: number }>()

  /**
   * The memory of `session`, which belongs to whoever used it first.
   *
   * A session id comes from the browser. Without this check, guessing one would be enough to use
   * the answers that somebody else gave.
   */
  bind(session: string, tenant: string | undefined, principal: string | undefined): SessionMemory {
    const nowMs = Date.now()
    const known = this.#bySession.get(session)
    if (known !== undefined && nowMs - known.usedAtMs < sessionAgeMs) {
      if (known.memory.tenant !== tenant || known.memory.principal !== principal) {
        throw new ToolgateError({
          code: 'SESSION_FOREIGN',
          message: 'the session belongs to another tenant or principal',
          help: 'a session belongs to who used it first: start a new one for another user',
        })
      }
      this.#remember(session, known.memory, nowMs)
      return known.memory
    }
    const memory = newMemory(tenant, principal)
    this.#remember(session, memory, nowMs)
    return memory
  }

  #remember(session: string, memory: SessionMemory, nowMs: number): void {
    // Deleted first: a Map keeps the order of insertion, so the first key is the oldest.
    this.#bySession.delete(session)
    this.#bySession.set(session, { memory, usedAtMs: nowMs })
    if (this.#bySession.size <= maxSessions) return
    const oldest = this.#bySession.keys().next()
    if (oldest.done !== true) this.#bySession.delete(oldest.value)
  }
}

/** The memory of a session that nobody can come back to. */
export function newMemory(tenant: string | undefined, principal: string | undefined): SessionMemory {
  return { tenant, principal, always: new Set() }
}

/** A session that ends with its table. */
export function randomSession(): string {
  return `once-${crypto.randomUUID()}`
}

/** The id of a call: the model's, or a random one where nobody gave one. */
export function callIdOf(given: unknown): string {
  return typeof given === 'string' && given !== '' ? given : crypto.randomUUID()
}

/** The turn of a call in which no message tells one user message from another. */
export const onlyTurn = 'turn'

/**
 * The turn that `messages` are in: how many user messages there are, and a hash of the last one.
 *
 * The ordinal keeps "yes" and "yes" apart, the hash notices a history that was edited or shortened;
 * both lead to a new question and never to a replay.
 */
export function turnOf(messages: readonly unknown[]): string {
  let ordinal = 0
  let last: unknown
  for (const message of messages) {
    if (ownProperty(message, 'role') !== 'user') continue
    ordinal += 1
    last = message
  }
  return last === undefined
    ? onlyTurn
    : `${ordinal}:${hashOf(ownProperty(last, 'content') ?? ownProperty(last, 'parts'))}`
}

function hashOf(content: unknown): string {
  // The AI SDK turns a text into a list with one text part on its way to the tool; both are the
  // same message.
  const text = typeof content === 'string' ? content : onlyText(content)
  return textHash(text ?? JSON.stringify(content) ?? '').slice(0, 16)
}

function onlyText(content: unknown): string | undefined {
  if (!Array.isArray(content) || content.length !== 1) return undefined
  return ownProperty(content[0], 'type') === 'text' ? ownText(content[0], 'text') : undefined
}
