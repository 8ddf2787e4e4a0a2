// Reads `needsApproval`, with which a tool says itself that a person has to be asked. It stands
// apart because every way to a call has to hear it, not only the approvals of the AI SDK: it makes
// a call stricter than the rules, and never looser.

import type { Call } from './call.ts'
import { isRecord, isThenable } from './get-own.ts'

/** Whether the tool itself wants this call asked about; whatever is no clear no is a yes. */
export function asksItself({ tool: { tool }, input, options }: Call): boolean | Promise<boolean> {
  try {
    const own: unknown = 'needsApproval' in tool ? tool.needsApproval : undefined
    if (own === undefined || own === null || own === false) return false
    if (!isPredicate(own)) return true
    const isAsked = own.call(tool, input, asSix(options))
    return isThenable(isAsked) ? Promise.resolve(isAsked).then(isNotNo, () => true) : isNotNo(isAsked)
  } catch {
    // A tool that cannot say whether to ask has not said no.
    return true
  }
}

function isNotNo(isAsked: unknown): boolean {
  return isAsked !== false
}

/** The 7 names the context of a tool differently in `toolApproval` than in `needsApproval`. */
function asSix(options: object | undefined): object | undefined {
  return isRecord(options) && 'toolContext' in options
    ? { ...options, context: options['toolContext'] }
    : options
}

function isPredicate(value: unknown): value is (input: unknown, options: unknown) => unknown {
  return typeof value === 'function'
}
