// Reads the input schema of a tool, whatever library made it. It stands apart because two
// questions about it decide how a call is checked: what is its JSON Schema, and does it parse by
// itself? `jsonSchema()` without `validate` checks nothing in any version of the AI SDK, and all
// tools of an MCP client are of that kind.

import { kindOf } from './check.ts'
import { isRecord, isThenable } from './get-own.ts'

/** How a schema's own parser answers. */
export type Parsed =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly complaint: string }

/** A schema after one look. */
export interface ToolSchema {
  /** The JSON Schema as far as it is known without loading a converter. */
  readonly jsonSchema: object | undefined
  /** Only the AI SDK can convert it (zod 3). */
  readonly needsConverter: boolean
  /** Its own parser; absent when the core has to validate. */
  readonly parse: ((value: unknown) => Parsed | Promise<Parsed>) | undefined
}

const schemaSymbol = Symbol.for('vercel.ai.schema')
const validatorSymbol = Symbol.for('vercel.ai.validator')

/** The schema of a tool that takes no input; what the AI SDK makes of a missing schema. */
const emptySchema = { type: 'object', properties: {}, additionalProperties: false }

/** A lazy schema may give another one; one that gives itself would never end. */
const maxLazy = 8

/** Reads `inputSchema`. A lazy schema is called, the way the AI SDK calls it. Throws what is none. */
export function readSchema(inputSchema: unknown, lazy = 0): ToolSchema | Promise<ToolSchema> {
  if (inputSchema === undefined || inputSchema === null) return withoutParser(emptySchema)
  if (isLazy(inputSchema)) {
    if (lazy === maxLazy) throw new TypeError('it is a function of functions without end')
    return Promise.resolve(inputSchema()).then((schema) => readSchema(schema, lazy + 1))
  }
  if (isSdkSchema(inputSchema)) return readSdkSchema(inputSchema)
  if (hasStandard(inputSchema)) return readStandardSchema(inputSchema)
  // A plain JSON Schema object: the AI SDK would throw, we know what it means.
  return withoutParser(schemaObject(inputSchema))
}

function isLazy(inputSchema: unknown): inputSchema is () => unknown {
  return typeof inputSchema === 'function' && !('~standard' in inputSchema)
}

/** What is no object would count as a schema that takes every input. */
function schemaObject(jsonSchema: unknown): object {
  if (isRecord(jsonSchema) && !Array.isArray(jsonSchema)) return jsonSchema
  throw new TypeError(`it is ${kindOf(jsonSchema)}`)
}

function withoutParser(jsonSchema: object | undefined): ToolSchema {
  return { jsonSchema, needsConverter: false, parse: undefined }
}

interface SdkSchema {
  readonly jsonSchema: unknown
  readonly validate?: ((value: unknown) => unknown) | undefined
}

function isSdkSchema(value: unknown): value is SdkSchema {
  return isRecord(value) && value[schemaSymbol] === true && 'jsonSchema' in value
}

function readSdkSchema(schema: SdkSchema): ToolSchema | Promise<ToolSchema> {
  const { jsonSchema } = schema
  // It is a promise where the AI SDK has to load what converts it.
  return isThenable(jsonSchema)
    ? Promise.resolve(jsonSchema).then((loaded) => sdkSchemaWith(schema, loaded))
    : sdkSchemaWith(schema, jsonSchema)
}

function sdkSchemaWith(schema: SdkSchema, jsonSchema: unknown): ToolSchema {
  const { validate } = schema
  if (typeof validate !== 'function') return withoutParser(schemaObject(jsonSchema))
  return {
    jsonSchema: isRecord(jsonSchema) ? jsonSchema : undefined,
    needsConverter: false,
    parse: async (value) => readSdkResult(await validate.call(schema, value)),
  }
}

function readSdkResult(result: unknown): Parsed {
  if (isRecord(result) && result['success'] === true) return { ok: true, value: result['value'] }
  const error = isRecord(result) ? result['error'] : undefined
  return { ok: false, complaint: error instanceof Error ? error.message : 'the input does not fit' }
}

interface Standard {
  readonly vendor?: unknown
  readonly validate: (value: unknown) => unknown
  readonly jsonSchema?: { readonly input?: (options: { target: 'draft-07' }) => unknown }
}

function hasStandard(value: unknown): value is { readonly '~standard': Standard } {
  if (!isObjectLike(value) || !('~standard' in value)) return false
  const standard = value['~standard']
  return isObjectLike(standard) && 'validate' in standard && typeof standard.validate === 'function'
}

/** Some libraries make their schemas callable (arktype does). */
function isObjectLike(value: unknown): value is object {
  return isRecord(value) || typeof value === 'function'
}

function readStandardSchema(schema: { readonly '~standard': Standard }): ToolSchema {
  const standard = schema['~standard']
  const jsonSchema = standardJsonSchema(standard)
  return {
    jsonSchema,
    needsConverter: jsonSchema === undefined && standard.vendor === 'zod',
    parse: (value) => {
      const result = standard.validate(value)
      return result instanceof Promise ? result.then(readStandardResult) : readStandardResult(result)
    },
  }
}

function standardJsonSchema(standard: Standard): object | undefined {
  try {
    const jsonSchema = standard.jsonSchema?.input?.({ target: 'draft-07' })
    return isRecord(jsonSchema) ? jsonSchema : undefined
  } catch {
    // A schema that JSON Schema cannot say (a date, a transform). It still parses by itself; the
    // AI SDK reports it when the tool is sent to a model.
    return undefined
  }
}

function readStandardResult(result: unknown): Parsed {
  if (!isRecord(result)) return { ok: false, complaint: 'the input does not fit' }
  const issues = result['issues']
  if (issues === undefined) return { ok: true, value: result['value'] }
  return { ok: false, complaint: Array.isArray(issues) ? describeIssues(issues) : 'the input does not fit' }
}

/** The longest list of complaints that still helps a model. */
const maxIssues = 10

function describeIssues(issues: readonly unknown[]): string {
  return issues.slice(0, maxIssues).map(describeIssue).join('; ')
}

function describeIssue(issue: unknown): string {
  if (!isRecord(issue)) return 'the input does not fit'
  const message = typeof issue['message'] === 'string' ? issue['message'] : 'does not fit'
  const path = Array.isArray(issue['path']) ? issue['path'].map(segment).join('/') : ''
  return path === '' ? message : `/${path}: ${message}`
}

function segment(step: unknown): string {
  return String(isRecord(step) ? step['key'] : step)
}

/**
 * The schema that the AI SDK gets for a tool whose own checks nothing.
 *
 * Made without importing `ai`: the two symbols are what every major looks for, and a schema
 * without the second one makes the AI SDK 5 refuse every call.
 */
export function validatingSchema(
  jsonSchema: object,
  validate: (value: unknown) => { success: true; value: unknown } | { success: false; error: Error },
): object {
  return { [schemaSymbol]: true, [validatorSymbol]: true, _type: undefined, jsonSchema, validate }
}

/** Whether calling `value` gives an async iterable at once; told by its tag, which works across realms. */
export function isAsyncGeneratorFunction(value: unknown): boolean {
  return Object.prototype.toString.call(value) === '[object AsyncGeneratorFunction]'
}
