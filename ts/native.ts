// The only module that names the addon. It stands apart so that everything that crosses is
// converted once: JSON is parsed here and nowhere else, and an error of the addon becomes a
// `ToolgateError`. A panic arrives as an unknown error and becomes `INTERNAL`, which refuses.

import * as binding from '#native'

import type { Envelope } from './envelope.ts'
import { isCode, ToolgateError, type Code, type Span } from './errors.ts'
import { ownProperty, ownText } from './get-own.ts'
import type { Transition } from './ledger-step.ts'
import type { Action, Effect } from './words.ts'

export type ConfigHandle = ReturnType<typeof binding.parseConfig>
export type ToolHandle = ReturnType<typeof binding.compileTool>
export type RegistryHandle = ReturnType<typeof binding.newRegistry>
export type BuiltTable = ReturnType<typeof binding.buildTable>
export type TableHandle = BuiltTable['handle']

/** What a configuration says that TypeScript has to know before the registry exists. */
export interface ConfigSummary {
  readonly roles: readonly string[]
  readonly tenants: readonly string[]
  readonly declare: readonly ConfigDeclaration[]
  /** Some rule has a condition on the input, so the schemas of the tools are needed to check it. */
  readonly needsSchemas: boolean
  readonly warnings: readonly string[]
}

/** One entry of `declare` in a configuration file, in the order of the file. */
export interface ConfigDeclaration {
  readonly name: string
  readonly effect?: Effect
  readonly category?: string
  readonly permission?: { readonly name?: string; readonly pattern?: string }
  readonly streaming?: boolean
}

/** Why a decision is what it is. */
export interface Explanation {
  readonly tool: string
  readonly action: Action
  /** The step of the pipeline that gave the answer. */
  readonly why: string
  /** The code of the refusal or the question; absent when the call may run. */
  readonly code?: Code
  /** One sentence for a person. */
  readonly text: string
  /** One short sentence for the model: no other tools, no rule text. */
  readonly safe: string
  /** One sentence for each step of the pipeline that spoke. */
  readonly steps: readonly string[]
  readonly rule?: RuleOrigin
  readonly resources: readonly {
    readonly resource: string
    readonly action: Action
    readonly rule?: RuleOrigin
  }[]
}

/** The rule that decided, and where it was written. */
export interface RuleOrigin {
  readonly permission: string
  readonly pattern: string
  readonly action: Action
  readonly layer: string
  readonly origin: string
  readonly conditional: boolean
}

/** A tool that is not in the table, and why. */
export interface Hidden {
  readonly name: string
  /** `offer`: this model or these flags do not get it. `seal`: a rule keeps it away. */
  readonly layer: 'offer' | 'seal'
  readonly reason: string
}

/** One way in which an input does not fit its schema. */
export interface Fault {
  readonly path: string
  readonly expected: string
  readonly got: string
}

export const parseConfig: typeof binding.parseConfig = guarded(binding.parseConfig)
export const compileTool: typeof binding.compileTool = guarded(binding.compileTool)
export const newRegistry: typeof binding.newRegistry = guarded(binding.newRegistry)
export const buildTable: typeof binding.buildTable = guarded(binding.buildTable)
export const childTable: typeof binding.childTable = guarded(binding.childTable)
export const needsInput: typeof binding.needsInput = guarded(binding.needsInput)
export const decideAll: typeof binding.decideAll = guarded(binding.decideAll)
export const fingerprint: typeof binding.fingerprint = guarded(binding.fingerprint)
export const textHash: typeof binding.textHash = guarded(binding.textHash)
export const canonicalHash: typeof binding.canonicalHash = guarded(binding.canonicalHash)
export const callKey: typeof binding.callKey = guarded(binding.callKey)
export const intentKey: typeof binding.intentKey = guarded(binding.intentKey)

export const configSummary: (config: ConfigHandle) => ConfigSummary = parsed(binding.configSummary)
export const hidden: (table: TableHandle) => Hidden[] = parsed(binding.hidden)
export const explain: (...call: Parameters<typeof binding.explain>) => Explanation = parsed(binding.explain)
export const explainHidden: (table: TableHandle, name: string) => Explanation = parsed(binding.explainHidden)
export const faults: (tool: ToolHandle, input: unknown) => Fault[] = parsed(binding.faults)

/** The pure step of a record; see `ledger-step.ts`. */
export const transition: Transition = parsed(binding.transition)

// Written out, because they are on the path of every call.

/** Decides a call that touches one resource. */
export function decide(table: TableHandle, index: number, resource: string): number {
  try {
    return binding.decide(table, index, resource)
  } catch (thrown) {
    throw fromNative(thrown)
  }
}

/** Whether an input fits: 0 it does, 1 it does not, 2 too deep, 3 too many values. */
export function validate(tool: ToolHandle, input: unknown): number {
  try {
    return binding.validate(tool, input)
  } catch (thrown) {
    throw fromNative(thrown)
  }
}

/** Reads the envelope that a record holds; what is not one is a defect, and refuses. */
export function parseEnvelope(text: string): Envelope {
  const envelope: Envelope = JSON.parse(text)
  return envelope
}

/** Reads the input that a record holds. */
export function parseInput(text: string): unknown {
  return JSON.parse(text)
}

/** The same function, whose errors are `ToolgateError`s. */
function guarded<PARAMETERS extends unknown[], RESULT>(
  call: (...parameters: PARAMETERS) => RESULT,
): (...parameters: PARAMETERS) => RESULT {
  return (...parameters) => {
    try {
      return call(...parameters)
    } catch (thrown) {
      throw fromNative(thrown)
    }
  }
}

/** The same function, whose JSON answer is parsed. */
function parsed<PARAMETERS extends unknown[], RESULT>(
  call: (...parameters: PARAMETERS) => string,
): (...parameters: PARAMETERS) => RESULT {
  const inner = guarded(call)
  return (...parameters) => JSON.parse(inner(...parameters))
}

/** What the addon threw, in our words. */
function fromNative(thrown: unknown): ToolgateError {
  const fault = faultOf(thrown)
  const code = ownText(fault, 'code')
  const message = ownText(fault, 'message')
  if (!isCode(code) || message === undefined) {
    return new ToolgateError({
      code: 'INTERNAL',
      message: 'the native core failed',
      help: 'this is a defect in toolgate; please report it with the cause',
      cause: thrown,
    })
  }
  return new ToolgateError({
    code,
    message,
    help: ownText(fault, 'help'),
    span: spanOf(ownProperty(fault, 'span')),
  })
}

function faultOf(thrown: unknown): unknown {
  if (!(thrown instanceof Error) || !thrown.message.startsWith('{')) return undefined
  try {
    return JSON.parse(thrown.message)
  } catch {
    // Not one of ours: the caller reports it as INTERNAL with the cause.
    return undefined
  }
}

function spanOf(value: unknown): Span | undefined {
  const file = ownText(value, 'file')
  const caret = ownText(value, 'caret')
  const line = ownProperty(value, 'line')
  const column = ownProperty(value, 'column')
  if (file === undefined || caret === undefined) return undefined
  if (typeof line !== 'number' || typeof column !== 'number') return undefined
  return { file, caret, line, column }
}
