// Turns the tools of the application into registered ones: what each is, how its input is
// checked, what rules call it. It stands apart because all of it happens once; a table is built
// for every request and only picks from what stands here.

import { declarationFor, isGlob, matches, type Declaration, type DeclarationEntry } from './declaration.ts'
import { optionInvalid } from './check.ts'
import { ownDefinition, type OwnDefinition } from './define-tool.ts'
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
  return Promise.all(
    Object.entries(tools).map(async ([name, tool]) => {
      const schema = await readSchema(tool.inputSchema)
      const own = ownDefinition(tool)
      if (!schema.needsConverter) return { name, tool, schema, own }
      const jsonSchema = await jsonSchemaThroughSdk(tool.inputSchema)
      return { name, tool, own, schema: { ...schema, jsonSchema } }
    }),
  )
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
  const { handle, definition } = compile(candidate, declaration)
  const execute = executeOf(tool)
  const effect = declaration.effect ?? 'external-write'
  const isProvider = isProviderTool(tool) && execute === undefined
  const validator =
    schema.parse === undefined && !isProvider
      ? inputValidator(name, handle, schema.jsonSchema ?? {})
      : undefined
  let hash: string | undefined
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
    handle,
    fingerprint: () => (hash ??= fingerprint(definition)),
    wrapper: wrapperOf(tool, validator?.schema),
  }
}

/** Compiled tools by tool object, so that a second toolgate with the same tools compiles nothing. */
const compiled = new WeakMap<object, { definition: string; handle: ToolHandle }>()

function compile(candidate: ToolCandidate, declaration: Declaration): { definition: string; handle: ToolHandle } {
  const { name, tool, schema } = candidate
  const description = 'description' in tool ? tool.description : undefined
  const definition = JSON.stringify({
    name,
    source: `tools.${name}`,
    description: typeof description === 'string' ? description : undefined,
    effect: declaration.effect,
    isEffectDeclared: declaration.effect !== undefined,
    category: declaration.category,
    permission: declaration.permission?.name,
    inputSchema: schema.jsonSchema,
    hasOwnParser: schema.parse !== undefined,
  })
  const known = compiled.get(tool)
  if (known?.definition === definition) return known
  const fresh = { definition, handle: compileTool(definition) }
  compiled.set(tool, fresh)
  return fresh
}

function executeOf(tool: ToolLike): Execute | undefined {
  const execute = 'execute' in tool ? tool.execute : undefined
  return isFunction(execute) ? execute : undefined
}

function isFunction(value: unknown): value is Execute {
  return typeof value === 'function'
}

/** Refuses a declaration of code that speaks of no tool: it is a typing error that loosens nothing by luck. */
export function checkDeclaredNames(candidates: readonly ToolCandidate[], inCode: readonly DeclarationEntry[]): void {
  const names = candidates.map(({ name }) => name)
  for (const { name } of inCode) {
    if (names.some((known) => known === name || (isGlob(name) && matches(name, known)))) continue
    throw optionInvalid(`declare.${name}`, 'speaks of no tool', suggestion(name, names))
  }
}

/** The line to paste for undeclared tools. */
export function declareLine(names: string | readonly string[]): string {
  const entries = [names].flat().map((name) => `${/^[a-zA-Z_]\w*$/.test(name) ? name : `'${name}'`}: { effect: 'read' }`)
  return `declare: { ${entries.join(', ')} }`
}
