// Turns the tools of the application into registered ones: what each is, how its input is
// checked, what rules call it. It stands apart because all of it happens once; a table is built
// for every request and only picks from what stands here.

import { declarationFor, type Declaration, type DeclarationEntry } from './declaration.ts'
import { optionInvalid } from './check.ts'
import { ownDefinition, type OwnDefinition } from './define-tool.ts'
import { messageOf } from './envelope.ts'
import { ToolgateError } from './errors.ts'
import { inputValidator, type InputValidator } from './input-validator.ts'
import { compileTool, fingerprint, type ToolHandle } from './native.ts'
import { suggestion } from './nearest.ts'
import { isProviderTool, type ToolLike, type ToolTable } from './options.ts'
import { resourcesOf, type ResourcesOf } from './resources.ts'
import { jsonSchemaThroughSdk } from './to-ai-sdk-schema.ts'
import { isAsyncGeneratorFunction, readSchema, type ToolSchema } from './tool-schema.ts'
import { wrapperOf, type Wrapper } from './wrapper.ts'
import { isGuarded, type Effect } from './words.ts'

/** The `execute` of a tool, called with the tool as `this`. */
export type Execute = (input: unknown, options: object) => unknown

/** A tool with everything that a call of it needs to know. */
export interface RegisteredTool {
  readonly name: string
  /** Its position in the registry, by which the core knows it. */
  readonly index: number
  /** The tool as the application passed it. */
  readonly tool: ToolLike
  /** Absent for tools that the browser or the provider runs. */
  readonly execute: Execute | undefined
  readonly effect: Effect
  readonly isGuarded: boolean
  readonly isDeclared: boolean
  /** The provider knows this tool by its own name and runs it or not; it passes through as it is. */
  readonly isProvider: boolean
  /** Its `execute` gives an async iterable. */
  readonly isStreaming: boolean
  /** The name that rules use. */
  readonly permission: string
  readonly resourcesOf: ResourcesOf
  readonly schema: ToolSchema
  /** Checks the input where the schema does not do it itself. */
  readonly validator: InputValidator | undefined
  readonly shadow: ((input: unknown) => unknown) | undefined
  readonly handle: ToolHandle
  /** The hash of the definition: what an approval or a stored result belongs to. */
  readonly fingerprint: () => string
  readonly wrapper: Wrapper
}

/** A tool before its declaration is known; read once for each toolgate. */
export interface ToolCandidate {
  readonly name: string
  readonly tool: ToolLike
  readonly schema: ToolSchema
  readonly own: OwnDefinition | undefined
}

/** Reads the schema of every tool. The only step of registration that may wait. */
export async function readCandidates(tools: ToolTable): Promise<ToolCandidate[]> {
  // Only what has to be waited for is: a thousand promises cost more than a thousand schemas.
  const reading = Object.entries(tools).map(([name, tool]): ToolCandidate | Promise<ToolCandidate> => {
    const own = ownDefinition(tool)
    const schema = orSchemaInvalid(name, () => readSchema(tool.inputSchema))
    if (!(schema instanceof Promise) && !schema.needsConverter) return { name, tool, schema, own }
    return convert(schema, tool).then(
      (converted) => ({ name, tool, own, schema: converted }),
      (thrown: unknown) => {
        throw schemaInvalid(name, thrown)
      },
    )
  })
  const isWaiting = reading.some((one) => one instanceof Promise)
  return isWaiting ? Promise.all(reading.map(async (one) => one)) : reading.filter(isRead)
}

function orSchemaInvalid<SCHEMA>(name: string, read: () => SCHEMA): SCHEMA {
  try {
    return read()
  } catch (thrown) {
    throw schemaInvalid(name, thrown)
  }
}

function schemaInvalid(name: string, thrown: unknown): ToolgateError {
  if (ToolgateError.isInstance(thrown)) return thrown
  return new ToolgateError({
    code: 'SCHEMA_INVALID',
    message: `the \`inputSchema\` of tool \`${name}\` cannot be read: ${messageOf(thrown)}`,
    help: 'pass a schema of zod or another Standard Schema library, `jsonSchema()`, or a JSON Schema object',
    cause: thrown,
  })
}

function isRead(candidate: ToolCandidate | Promise<ToolCandidate>): candidate is ToolCandidate {
  return !(candidate instanceof Promise)
}

async function convert(reading: ToolSchema | Promise<ToolSchema>, tool: ToolLike): Promise<ToolSchema> {
  const schema = await reading
  if (!schema.needsConverter) return schema
  return { ...schema, jsonSchema: await jsonSchemaThroughSdk(tool.inputSchema) }
}

/** Registers the candidates under the declarations of code and configuration, in that order. */
export function registerTools(
  candidates: readonly ToolCandidate[],
  inCode: readonly DeclarationEntry[],
  inConfig: readonly DeclarationEntry[],
): RegisteredTool[] {
  return candidates.map((candidate, index) => {
    const own = candidate.own?.declaration ?? {}
    return registerTool(candidate, index, declarationFor(candidate.name, own, inCode, inConfig))
  })
}

function registerTool(candidate: ToolCandidate, index: number, declaration: Declaration): RegisteredTool {
  const { name, tool, schema, own } = candidate
  const compiled = compile(candidate, declaration)
  const execute = executeOf(tool)
  const effect = declaration.effect ?? 'external-write'
  const isProvider = isProviderTool(tool) && execute === undefined
  const validator = schema.parse === undefined && !isProvider ? validatorOf(compiled) : undefined
  return {
    name,
    index,
    tool,
    execute,
    effect,
    isGuarded: isGuarded(effect),
    isDeclared: declaration.effect !== undefined,
    isProvider,
    isStreaming: declaration.streaming ?? isAsyncGeneratorFunction(execute),
    permission: declaration.permission?.name ?? name,
    resourcesOf: resourcesOf(declaration.permission?.pattern),
    schema,
    validator,
    shadow: own?.shadow,
    handle: compiled.handle,
    fingerprint: () => (compiled.fingerprint ??= fingerprint(compiled.handle)),
    wrapper: wrapperOf(tool, validator?.schema),
  }
}

/** What the core knows of a tool. Two of the same definition are one. */
interface Definition {
  readonly name: string
  readonly source: string
  readonly description: string | undefined
  readonly effect: Effect | undefined
  readonly isEffectDeclared: boolean
  readonly category: string | undefined
  readonly permission: string | undefined
  readonly inputSchema: object | undefined
  readonly hasOwnParser: boolean
}

interface CompiledTool {
  readonly definition: Definition
  readonly handle: ToolHandle
  validator: InputValidator | undefined
  fingerprint: string | undefined
}

/**
 * Compiled tools by tool object, so that a second toolgate, or the same one under an edited
 * configuration, compiles only what is new. A schema is the same when it is the same object, which
 * is how ajv and the AI SDK take it too.
 */
const compiledTools = new WeakMap<object, CompiledTool>()

function compile({ name, tool, schema }: ToolCandidate, declaration: Declaration): CompiledTool {
  const description = 'description' in tool ? tool.description : undefined
  const definition: Definition = {
    name,
    source: `tools.${name}`,
    description: typeof description === 'string' ? description : undefined,
    effect: declaration.effect,
    isEffectDeclared: declaration.effect !== undefined,
    category: declaration.category,
    permission: declaration.permission?.name,
    inputSchema: schema.jsonSchema,
    hasOwnParser: schema.parse !== undefined,
  }
  const known = compiledTools.get(tool)
  if (known !== undefined && isSame(known.definition, definition)) return known
  const handle = compileTool(textOf(definition))
  const fresh: CompiledTool = { definition, handle, validator: undefined, fingerprint: undefined }
  compiledTools.set(tool, fresh)
  return fresh
}

function isSame(one: Definition, other: Definition): boolean {
  return (
    one.inputSchema === other.inputSchema &&
    one.name === other.name &&
    one.description === other.description &&
    one.effect === other.effect &&
    one.category === other.category &&
    one.permission === other.permission &&
    one.hasOwnParser === other.hasOwnParser
  )
}

function textOf(definition: Definition): string {
  try {
    return JSON.stringify(definition)
  } catch (thrown) {
    throw new ToolgateError({
      code: 'SCHEMA_INVALID',
      message: `tool \`${definition.name}\` from ${definition.source}: the input schema cannot be written as JSON: ${messageOf(thrown)}`,
      help: 'write it in plain JSON values, without circles and not nested without end',
      cause: thrown,
    })
  }
}

function validatorOf(compiled: CompiledTool): InputValidator {
  const { name, inputSchema } = compiled.definition
  return (compiled.validator ??= inputValidator(name, compiled.handle, inputSchema ?? {}))
}

function executeOf(tool: ToolLike): Execute | undefined {
  const execute = 'execute' in tool ? tool.execute : undefined
  return isFunction(execute) ? execute : undefined
}

function isFunction(value: unknown): value is Execute {
  return typeof value === 'function'
}

/** Refuses a declaration of code that speaks of no tool: it is a typing error that loosens nothing by luck. */
export function checkDeclaredNames(
  candidates: readonly ToolCandidate[],
  inCode: readonly DeclarationEntry[],
): void {
  const names = candidates.map(({ name }) => name)
  for (const { name, speaksOf } of inCode) {
    if (names.some(speaksOf)) continue
    throw optionInvalid(`declare.${name}`, 'speaks of no tool', suggestion(name, names))
  }
}

/** The line to paste for undeclared tools. */
export function declareLine(names: string | readonly string[]): string {
  const entries = [names]
    .flat()
    .map((name) => `${/^[a-zA-Z_]\w*$/.test(name) ? name : `'${name}'`}: { effect: 'read' }`)
  return `declare: { ${entries.join(', ')} }`
}
