// Says what is known about a call that threw. It stands apart because the difference between "had
// no effect" and "nobody knows" decides whether the call may ever be tried again.

import { ToolError } from './errors.ts'
import { isRecord } from './get-own.ts'

/** Faults of the connection or the spawn that come before anything could have happened. */
const neverSent: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'])

/** Statuses below 500 that a server may send after it has acted. */
const maybeApplied: ReadonlySet<number> = new Set([408, 409, 429])

/** Whether the thrown error proves that the call had no effect. */
export function isWithoutEffect(thrown: unknown): boolean {
  try {
    if (ToolError.isInstance(thrown)) return true
    // Fetch hides its reason one level down, a wrapped client two; more would be guessing.
    return (isRecord(thrown) && isRefusedByServer(thrown)) || causes(thrown, 3).some(isNeverSent)
  } catch {
    // An error whose properties cannot be read proves nothing.
    return false
  }
}

function causes(thrown: unknown, depth: number): Record<PropertyKey, unknown>[] {
  if (!isRecord(thrown) || depth === 0) return []
  return [thrown, ...causes(thrown['cause'], depth - 1)]
}

function isNeverSent(error: Record<PropertyKey, unknown>): boolean {
  if (neverSent.has(error['code'])) return true
  const syscall = error['syscall']
  return error['code'] === 'ENOENT' && typeof syscall === 'string' && syscall.startsWith('spawn')
}

function isRefusedByServer(error: Record<PropertyKey, unknown>): boolean {
  const status = error['status'] ?? error['statusCode']
  return typeof status === 'number' && status >= 400 && status < 500 && !maybeApplied.has(status)
}
