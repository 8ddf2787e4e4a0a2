// Remembers the answer "always". It stands apart because the answer is worth exactly what was
// asked: this person, this session, this definition of the tool, these resources letter by letter.

import type { Gate } from './gate.ts'
import type { RegisteredTool } from './register-tools.ts'

/** Whether `always` counts as such: what cannot be undone is asked about every time. */
export function mayAlways(tool: RegisteredTool): boolean {
  return tool.effect !== 'destructive'
}

/** Whether every resource was answered with "always" in this session. */
export function isRemembered(gate: Gate, tool: RegisteredTool, resources: readonly string[]): boolean {
  if (!mayAlways(tool) || resources.length === 0) return false
  if (gate.memory.always.size === 0) return false
  return resources.every((resource) => gate.memory.always.has(keyOf(tool, resource)))
}

/** Keeps "always" for every resource of a question. */
export function remember(gate: Gate, tool: RegisteredTool, resources: readonly string[]): void {
  if (!mayAlways(tool)) return
  for (const resource of resources) gate.memory.always.add(keyOf(tool, resource))
}

function keyOf(tool: RegisteredTool, resource: string): string {
  return JSON.stringify([tool.name, tool.fingerprint(), tool.permission, resource])
}
