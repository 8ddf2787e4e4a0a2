// Judges one permission case through the public API: rules become a configuration, the call becomes
// `table.explain`. It stands apart because the case runner and vitest both judge by it.
//
// Paths, URLs and whole commands are one literal resource here; cases that need more than rules
// (`plain` is not set) are not supported yet.

import type * as toolgateModule from '../../ts/index.ts'
import type { Action, Rule } from '../../ts/index.ts'

/** One line of `permission_cases.jsonl`, as far as it is read here. */
export interface PermissionCase {
  readonly id: string
  readonly plain?: boolean
  readonly rules: readonly CaseRule[]
  readonly call: {
    readonly tool: string
    readonly command?: string
    readonly path?: string
    readonly paths?: readonly string[]
    readonly input?: { readonly url?: string }
    readonly role?: string
    readonly request_tools?: Readonly<Record<string, boolean>>
  }
  readonly expected: Action
  readonly also_ok?: readonly Action[]
  readonly visible?: boolean
}

interface CaseRule {
  readonly permission: string
  readonly pattern: string
  readonly action: Action
  readonly layer?: string
  readonly locked?: boolean
}

/** Whether a case can be judged by rules alone. */
export function isSupported(testCase: PermissionCase): boolean {
  return testCase.plain === true
}

/** Judges `testCase`; `undefined` when it passes, else one line that says what came instead. */
export async function judge(
  { createToolgate }: Pick<typeof toolgateModule, 'createToolgate'>,
  testCase: PermissionCase,
): Promise<string | undefined> {
  const { call, rules } = testCase
  const layer = (...names: readonly string[]) => rules.filter((rule) => !rule.locked && names.includes(rule.layer ?? 'config'))
  const role = call.role ?? 'anyone'
  const toolgate = await createToolgate({
    config: {
      permission: block(layer('defaults', 'config')),
      locked: block(rules.filter((rule) => rule.locked)),
      roles: { [role]: { permission: block(layer('role')) } },
    },
    tools: {
      [call.tool]: { description: 'judged, never run', inputSchema: anything, execute: () => null },
    },
    // The class of a tool is another question: one that follows its rules alone is asked here.
    declare: { [call.tool]: { effect: 'internal-write', permission: { pattern: () => resourcesOf(call) } } },
    ask: () => Promise.resolve({ decision: 'reject' }),
  })
  const table = await toolgate.table({
    role,
    session: testCase.id,
    permission: block(layer('session', 'request')),
    tools: call.request_tools ?? {},
  })
  const { action } = table.explain(call.tool, call.input ?? {})
  const isVisible = Object.hasOwn(table.tools, call.tool)
  if (action !== testCase.expected && !(testCase.also_ok ?? []).includes(action)) {
    return `expected ${testCase.expected}, got ${action}`
  }
  if (testCase.visible !== undefined && testCase.visible !== isVisible) {
    return `expected visible ${testCase.visible}, got ${isVisible}`
  }
  return undefined
}

/** A schema that takes any input, in the form that the AI SDK brands. */
const anything = {
  [Symbol.for('vercel.ai.schema')]: true,
  jsonSchema: { type: 'object' },
  validate: undefined,
}

function resourcesOf(call: PermissionCase['call']): readonly string[] {
  return call.paths ?? [call.command ?? call.path ?? call.input?.url ?? '*']
}

/** Rules in their order as a permission block, which has each permission name once. */
function block(rules: readonly CaseRule[]): Record<string, Rule[]> {
  const entries = new Map<string, Rule[]>()
  let last: string | undefined
  for (const { permission, pattern, action } of rules) {
    if (entries.has(permission) && permission !== last) {
      throw new Error(`the rules of \`${permission}\` do not stand together; a block cannot say that`)
    }
    last = permission
    entries.set(permission, [...(entries.get(permission) ?? []), { pattern, action }])
  }
  return Object.fromEntries(entries)
}
