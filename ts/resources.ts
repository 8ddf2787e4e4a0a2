// Says what a call touches, so that rules with a pattern can speak of it. It stands apart because
// the pattern is the operator's and the input is the model's: a fault here has to end in a
// question or a refusal, never in the resource `*`.

import type { ResourcePattern } from './declaration.ts'
import { getOwn, isRecord } from './get-own.ts'

/** The resources of one call. An empty list is a question: nothing says what the call touches. */
export type ResourcesOf = (input: unknown) => readonly string[]

// Shared by all calls, so that nobody may write into them.
const anything: readonly string[] = Object.freeze(['*'])
const nothing: readonly string[] = Object.freeze([])

/** Lists that leave something out because nobody can read it. */
const partial = new WeakSet<readonly string[]>()

/**
 * Whether a call touches more than `resources` says. A deny on what can be read still counts; for
 * everything else the call is one that does not say what it touches.
 */
export function isPartial(resources: readonly string[]): boolean {
  return partial.has(resources)
}

/** How to find the resources of calls to a tool that declares `pattern`. */
export function resourcesOf(pattern: ResourcePattern | undefined): ResourcesOf {
  if (pattern === undefined) return () => anything
  if (typeof pattern === 'string') {
    const path = pattern.slice(1).split('/').map(unescape)
    return (input) => asResources(follow(input, path))
  }
  const call: (input: never) => unknown = pattern
  return (input) => answerOf(Reflect.apply(call, undefined, [input]))
}

function unescape(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~')
}

function follow(input: unknown, path: readonly string[]): unknown {
  let value = input
  for (const step of path) {
    if (!isRecord(value)) return undefined
    value = getOwn(value, step)
  }
  return value
}

function asResources(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return listed(value)
  const text = scalar(value)
  return text === undefined ? nothing : [text]
}

/** Lists in a list are read too, so that a deny on what they hold counts, but nobody declared them. */
function listed(values: readonly unknown[]): readonly string[] {
  // Spread, because a hole is something that cannot be read.
  const texts = [...values].flat().map(scalar)
  const readable = texts.filter(isText)
  if (readable.length < texts.length || values.some(Array.isArray)) partial.add(readable)
  return readable
}

function scalar(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return value
    case 'number':
    case 'boolean':
    case 'bigint':
      return String(value)
    default:
      return undefined
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

/** A function may answer with a text or a list of texts; anything else is a fault of the operator. */
function answerOf(answer: unknown): readonly string[] {
  if (typeof answer === 'string') return [answer]
  // A copy: the function may keep its list, and change it after the decision.
  if (Array.isArray(answer) && answer.every(isText)) return [...answer]
  throw new TypeError('`permission.pattern` returned neither a text nor a list of texts')
}
