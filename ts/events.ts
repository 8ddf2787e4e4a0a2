// Tells listeners what happened. It stands apart so that a listener can never change a decision:
// what it throws is reported once and ignored, and nobody waits for it.

import { checkKeys, checkObject, kindOf, optionInvalid } from './check.ts'
import type { Question } from './ask.ts'
import type { Code } from './errors.ts'
import { messageOf } from './envelope.ts'
import { isThenable } from './get-own.ts'

/** What every event about a call says. */
export interface CallEvent {
  readonly tool: string
  readonly callId: string
  readonly session: string
  readonly role: string | undefined
  readonly tenant: string | undefined
  readonly principal: string | undefined
}

/** Every event and what it carries. */
export interface ToolgateEvents {
  /** A decision let the call through; it is about to run. */
  readonly 'call-allowed': CallEvent
  /** The call did not run. */
  readonly 'call-refused': CallEvent & {
    readonly code: Code
    readonly message: string
    /** The reason for a person, with the rule and where it stands. */
    readonly reason: string | undefined
  }
  /** A recorded call came to its end. */
  readonly 'call-settled': CallEvent & { readonly outcome: 'succeeded' | 'failed' | 'unknown' }
  /** The stored result of an earlier run was returned. */
  readonly 'call-replayed': CallEvent
  readonly 'question-asked': CallEvent & { readonly question: Question }
  readonly 'question-answered': CallEvent & {
    readonly decision: 'once' | 'always' | 'edit' | 'reject' | 'cancel'
    readonly message: string | undefined
  }
  /** A tool wrote about its own call with `ctx.metadata()`. */
  readonly 'tool-metadata': CallEvent & {
    readonly title: string | undefined
    readonly metadata: Readonly<Record<string, unknown>> | undefined
  }
  /** Something works and is probably not what was meant. */
  readonly warning: { readonly message: string; readonly help: string }
}

export type EventName = keyof ToolgateEvents

/** Listeners by event name. */
export type Listeners = {
  readonly [NAME in EventName]?: ((event: ToolgateEvents[NAME]) => void) | undefined
}

/** Adds a listener; call what it returns to remove it. */
export type On = <NAME extends EventName>(
  name: NAME,
  listener: (event: ToolgateEvents[NAME]) => void,
) => () => void

const eventNames = [
  'call-allowed',
  'call-refused',
  'call-settled',
  'call-replayed',
  'question-asked',
  'question-answered',
  'tool-metadata',
  'warning',
] as const satisfies readonly EventName[]

type ListenerSets = { readonly [NAME in EventName]: Set<(event: ToolgateEvents[NAME]) => void> }

/** The listeners of a toolgate or of one table. */
export class Events {
  readonly #sets: ListenerSets = {
    'call-allowed': new Set(),
    'call-refused': new Set(),
    'call-settled': new Set(),
    'call-replayed': new Set(),
    'question-asked': new Set(),
    'question-answered': new Set(),
    'tool-metadata': new Set(),
    warning: new Set(),
  }
  readonly #parent: Events | undefined

  /** What is emitted here is heard by `parent` as well. */
  constructor(parent?: Events) {
    this.#parent = parent
  }

  /** Adds a listener; the function returned removes it. */
  readonly on: On = (name, listener) => {
    if (!eventNames.includes(name)) throw unknownEvent(name)
    if (typeof listener !== 'function') {
      throw optionInvalid(`on.${name}`, `is ${kindOf(listener)}`, 'pass a function of the event')
    }
    const set: Set<typeof listener> = this.#sets[name]
    set.add(listener)
    return () => {
      set.delete(listener)
    }
  }

  /** Whether anybody listens; on the path of a plain call an event is built only then. */
  hears(name: EventName): boolean {
    return this.#sets[name].size > 0 || (this.#parent?.hears(name) ?? false)
  }

  /** Tells every listener. Never throws. */
  emit<NAME extends EventName>(name: NAME, event: ToolgateEvents[NAME]): void {
    const set: Set<(event: ToolgateEvents[NAME]) => void> = this.#sets[name]
    for (const listener of set) {
      try {
        const answer: unknown = listener(event)
        // Nobody waits for it, but its rejection without a handler would end the process.
        onRejection(answer, (thrown) => reportOnce(name, listener, thrown))
      } catch (thrown) {
        reportOnce(name, listener, thrown)
      }
    }
    this.#parent?.emit(name, event)
  }

  /** Tells a warning; to the console, once for each text, when nobody listens. */
  warn(message: string, help: string): void {
    if (this.hears('warning')) {
      this.emit('warning', { message, help })
      return
    }
    if (warned.has(message)) return
    warned.add(message)
    console.warn(`toolgate: ${message}; ${help}`)
  }
}

const reported = new WeakSet<object>()
const warned = new Set<string>()

/** Once for each listener: a listener that always throws would flood the log. */
function reportOnce(name: EventName, listener: object, thrown: unknown): void {
  if (reported.has(listener)) return
  reported.add(listener)
  console.error(`toolgate: a listener of \`${name}\` threw: ${messageOf(thrown)}`)
}

/** Handles the rejection of a promise that foreign code returned where none was asked for. */
export function onRejection(answer: unknown, handle: (thrown: unknown) => void): void {
  if (isThenable(answer)) {
    Promise.resolve(answer).then(undefined, handle)
  }
}

/** Checks the option `on`. */
export function checkListeners(value: unknown): Listeners {
  if (value === undefined) return {}
  const given = checkObject(value, 'on')
  checkKeys(given, 'on', eventNames)
  for (const name of eventNames) {
    const listener = given[name]
    if (listener === undefined || typeof listener === 'function') continue
    throw optionInvalid(`on.${name}`, `is ${kindOf(listener)}`, 'pass a function of the event')
  }
  return given
}

/** Adds every listener of the option `on`. */
export function addListeners(events: Events, listeners: Listeners): void {
  for (const name of eventNames) addListener(events, name, listeners)
}

function addListener<NAME extends EventName>(events: Events, name: NAME, listeners: Listeners): void {
  const listener = listeners[name]
  if (listener !== undefined) events.on(name, listener)
}

function unknownEvent(name: string): Error {
  return optionInvalid('on', `does not know the event \`${name}\``, `known are ${eventNames.join(', ')}`)
}
