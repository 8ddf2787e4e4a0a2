// Makes a tool that says everything the gate wants to know. It stands apart because the result is
// an ordinary AI SDK tool: what the gate reads hangs on a symbol, which copies and spreads keep.

import { checkKeys, checkObject, kindOf, optionInvalid } from './check.ts'
import { readDeclaration, type Declaration } from './declaration.ts'
import { ToolgateError } from './errors.ts'
import { isRecord, ownProperty } from './get-own.ts'
import type { ToolContext } from './tool-context.ts'
import type { Tool } from './to-ai-sdk-types.ts'
import { isAsyncGeneratorFunction } from './tool-schema.ts'
import type { Effect } from './words.ts'

/** A schema whose parsed value is an `INPUT`: zod 3 or 4, Standard Schema, or `jsonSchema()`. */
export type SchemaOf<INPUT> =
  | { readonly '~standard': { readonly types?: { readonly output: INPUT } | undefined } }
  | { readonly _type: INPUT; readonly jsonSchema: unknown }
  | (() => SchemaOf<INPUT>)

/** What `defineTool` takes. */
export interface ToolDefinition<INPUT, OUTPUT> {
  readonly description?: string | undefined
  readonly inputSchema: SchemaOf<INPUT>
  /** What a call may do to the world. `external-write` when absent. */
  readonly effect?: Effect | undefined
  /** The group that toolsets of tenants name. */
  readonly category?: string | undefined
  readonly permission?:
    | {
        readonly name?: string | undefined
        readonly pattern?: string | ((input: INPUT) => string | readonly string[]) | undefined
      }
    | undefined
  /** `execute` returns an async iterable although it is not an async generator function. */
  readonly streaming?: boolean | undefined
  /** A stand-in for the output in a shadow run, where a guarded call does not run. */
  readonly shadow?: ((input: INPUT) => OUTPUT | PromiseLike<OUTPUT>) | undefined
  readonly execute: (
    input: INPUT,
    context: ToolContext,
  ) => OUTPUT | PromiseLike<OUTPUT> | AsyncIterable<OUTPUT>
  /** What the model reads instead of the output. */
  readonly toModelOutput?: Tool<INPUT, OUTPUT>['toModelOutput']
}

const definitionKeys = [
  'description',
  'inputSchema',
  'effect',
  'category',
  'permission',
  'streaming',
  'shadow',
  'execute',
  'toModelOutput',
]

const definitionSymbol = Symbol.for('toolgate.definition')

/** What a defined tool says of itself. */
export interface OwnDefinition {
  readonly declaration: Declaration
  readonly shadow: ((input: unknown) => unknown) | undefined
}

/**
 * Makes an AI SDK tool with a declared effect, permission and category.
 *
 * ```ts
 * const weather = defineTool({
 *   description: 'The weather of a city',
 *   inputSchema: z.object({ city: z.string() }),
 *   effect: 'read',
 *   execute: async ({ city }, { abortSignal }) => fetchWeather(city, abortSignal),
 * })
 * ```
 */
export function defineTool<INPUT, OUTPUT>(
  definition: ToolDefinition<INPUT, OUTPUT>,
): Tool<INPUT, OUTPUT>
export function defineTool(definition: ToolDefinition<unknown, unknown>): object {
  const given = checkObject(definition, 'defineTool')
  checkKeys(given, 'defineTool', definitionKeys)
  const { execute, description, inputSchema, toModelOutput, shadow } = definition
  if (typeof execute !== 'function') {
    throw optionInvalid('defineTool.execute', `is ${kindOf(execute)}`, 'pass a function `(input, ctx) => output`')
  }
  if (inputSchema === undefined) {
    throw optionInvalid('defineTool.inputSchema', 'is missing', 'pass a zod schema, a Standard Schema or `jsonSchema()`')
  }
  const declaration = readDeclaration(given, 'defineTool')
  const own: OwnDefinition = {
    // Looked at here, because the wrapper below is never a generator function.
    declaration: { ...declaration, streaming: declaration.streaming ?? isAsyncGeneratorFunction(execute) },
    shadow,
  }
  return {
    ...(description === undefined ? {} : { description }),
    inputSchema,
    ...(toModelOutput === undefined ? {} : { toModelOutput }),
    execute: (input: unknown, options: unknown) => execute(input, contextIn(options)),
    [definitionSymbol]: own,
  }
}

/** What `tool` says of itself; nothing for a tool that `defineTool` did not make. */
export function ownDefinition(tool: object): OwnDefinition | undefined {
  const own = isRecord(tool) ? tool[definitionSymbol] : undefined
  return isOwnDefinition(own) ? own : undefined
}

function isOwnDefinition(value: unknown): value is OwnDefinition {
  return isRecord(ownProperty(value, 'declaration'))
}

function contextIn(options: unknown): ToolContext {
  const context = ownProperty(options, 'toolgate')
  if (isContext(context)) return context
  throw new ToolgateError({
    code: 'INTERNAL',
    message: 'a tool made by `defineTool` was called without the gate, so nothing decided about the call',
    help: 'pass it to `createToolgate({ tools })` and use `table.tools` or `table.call`',
  })
}

function isContext(value: unknown): value is ToolContext {
  return isRecord(value) && typeof value['callId'] === 'string'
}
