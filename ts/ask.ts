// Asks a person through the `ask` callback and reads the answer. It stands apart because the
// callback is the application's code: only an exact `once`, `always` or `edit` runs anything, and
// whatever else comes back (a throw, a typing error, nothing) is a refusal.

import { messageOf, quote } from './envelope.ts'
import { isRecord } from './get-own.ts'
import type { RuleOrigin } from './native.ts'
import type { Effect } from './words.ts'

/** What a person is asked. */
export interface Question {
  /** The same for every attempt of this call. */
  readonly id: string
  readonly tool: string
  readonly callId: string
  /** A copy: what the tool gets cannot be changed through it. */
  readonly input: unknown
  readonly resources: readonly string[]
  /** Why it is asked, in one sentence. */
  readonly reason: string
  readonly rule: RuleOrigin | undefined
  readonly effect: Effect
  readonly inputHash: string
  readonly role: string | undefined
  readonly session: string
  readonly tenant: string | undefined
  readonly principal: string | undefined
  /** 0 for the agent itself, 1 for its sub-agents, and so on. */
  readonly depth: number
  /** Whether `always` is taken as such; for destructive tools and conditional rules it counts as `once`. */
  readonly mayAlways: boolean
  /** Rules that `always` could save. */
  readonly proposals: readonly never[]
}

/** What a person answers. */
export type Decision =
  | { readonly decision: 'once' }
  /** For the rest of this session. */
  | { readonly decision: 'always' }
  | { readonly decision: 'reject'; readonly message?: string | undefined }
  /** Run with this input instead; it is validated and decided like any other. */
  | { readonly decision: 'edit'; readonly input: unknown }

/** Asks a person. The signal aborts when the question no longer matters. */
export type Ask = (
  question: Question,
  options: { readonly signal: AbortSignal },
) => Decision | PromiseLike<Decision>

/** The answer after its check. A fault of the callback is a rejection that says so. */
export type Answer =
  | Decision
  | {
      readonly decision: 'fault'
      /** For the model. */
      readonly message: string
      /** What the callback threw; for the operator only, it may hold a secret. */
      readonly detail?: string
    }
  | { readonly decision: 'cancel' }

/** Asks, and always comes back with an answer. */
export async function askPerson(ask: Ask, question: Question, signal: AbortSignal): Promise<Answer> {
  if (signal.aborted) return { decision: 'cancel' }
  let stopWaiting: (() => void) | undefined
  const aborted = new Promise<Answer>((resolve) => {
    stopWaiting = () => resolve({ decision: 'cancel' })
    signal.addEventListener('abort', stopWaiting, { once: true })
  })
  try {
    return await Promise.race([answerOf(ask, question, signal), aborted])
  } finally {
    if (stopWaiting !== undefined) signal.removeEventListener('abort', stopWaiting)
  }
}

async function answerOf(ask: Ask, question: Question, signal: AbortSignal): Promise<Answer> {
  try {
    return readDecision(await ask(question, { signal }))
  } catch (thrown) {
    return { decision: 'fault', message: 'the question could not be asked', detail: messageOf(thrown) }
  }
}

const unreadable: Answer = { decision: 'fault', message: 'the answer to the question could not be read' }

/** Reads what the callback returned; a key too many is a misunderstanding, and so a refusal. */
function readDecision(value: unknown): Answer {
  if (!isRecord(value) || Array.isArray(value)) return unreadable
  const given = new Map(Object.entries(value))
  const word = given.get('decision')
  given.delete('decision')
  switch (word) {
    case 'once':
    case 'always':
      return given.size === 0 ? { decision: word } : unreadable
    case 'edit': {
      if (!given.has('input') || given.size !== 1) return unreadable
      return { decision: 'edit', input: given.get('input') }
    }
    case 'reject': {
      const message = given.get('message')
      given.delete('message')
      if (given.size !== 0) return unreadable
      return { decision: 'reject', message: typeof message === 'string' ? quote(message) : undefined }
    }
    default:
      return unreadable
  }
}
