// Remembers the answer "always". It stands apart because the answer is worth exactly what was
// asked: this person, this session, this role, this definition of the tool, these resources letter
// by letter, under this very rule.

import { explainCall } from './admit.ts'
import type { Gate } from './gate.ts'
import type { Explanation } from './native.ts'
import type { RegisteredTool } from './register-tools.ts'

/**
 * Whether `always` counts as such. What cannot be undone is asked about every time, and so is what
 * a conditional rule decides: the condition looked at this input, and the next one is another.
 */
export function mayAlways(tool: RegisteredTool, { rule, resources }: Explanation): boolean {
  if (tool.effect === 'destructive' || resources.length === 0) return false
  return rule?.conditional !== true && resources.every((one) => one.rule?.conditional !== true)
}

/** Whether every resource was answered with "always" in this session. */
export function isRemembered(
  gate: Gate,
  tool: RegisteredTool,
  resources: readonly string[],
  input: unknown,
): boolean {
  if (gate.memory.always.size === 0) return false
  return keysOf(gate, tool, resources, input)?.every((key) => gate.memory.always.has(key)) ?? false
}

/** Keeps "always" for every resource of a question. */
export function remember(
  gate: Gate,
  tool: RegisteredTool,
  resources: readonly string[],
  input: unknown,
): void {
  for (const key of keysOf(gate, tool, resources, input) ?? []) gate.memory.always.add(key)
}

/** One key for each resource, with the rules that ask; nothing where `always` does not count. */
function keysOf(
  gate: Gate,
  tool: RegisteredTool,
  resources: readonly string[],
  input: unknown,
): string[] | undefined {
  const explanation = explainCall(gate, tool, resources, input)
  if (!mayAlways(tool, explanation)) return undefined
  const about = [gate.who.role ?? null, tool.name, tool.fingerprint(), tool.permission, explanation.why]
  return explanation.resources.map(({ resource, rule }) =>
    JSON.stringify([...about, explanation.rule ?? null, resource, rule ?? null]),
  )
}
