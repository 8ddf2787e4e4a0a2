// The flow of one call, from `execute` or `table.call` to what comes back. It stands apart as the
// page to read first: each step is one line here, and its detail is in the file it names.

import { admit } from './admit.ts'
import { answerFor } from './approval-messages.ts'
import { CallContext } from './call-context.ts'
import { callOf, eventOf, optionsFor, type Call, type WritableMeta } from './call.ts'
import { runRecorded } from './call-recorded.ts'
import type { Gate } from './gate.ts'
import { refused } from './refused.ts'
import type { RegisteredTool } from './register-tools.ts'
import { runShadow } from './shadow.ts'

/**
 * Runs a call, or throws the refusal.
 *
 * A plain call is decided and started before this returns: what `execute` gave comes back as it
 * is, so that an async iterable keeps streaming (a promise of one would arrive as an empty object).
 */
export function runCall(
  gate: Gate,
  tool: RegisteredTool,
  input: unknown,
  options: object | undefined,
  meta?: WritableMeta,
): unknown {
  const call = callOf(gate, tool, input, options, meta)
  const admission = admit(gate, tool, input)
  tool.validator?.forget(input)
  switch (admission.step) {
    case 'run':
      // An answer about a call that nobody has to be asked about: only a record tells a rule that
      // was changed meanwhile from a history that was made up.
      if (answerFor(call.messages, call.callId) !== undefined) {
        return runRecorded(call, 'answered', tool.resourcesOf(input))
      }
      return runPlain(call)
    case 'suppress':
      return runShadow(call)
    case 'record':
      // A tool that asks by itself takes an answer only to a question that stands in the ledger.
      if (tool.wantsApproval === 'by-call' && answerFor(call.messages, call.callId) !== undefined) {
        return runRecorded(call, 'answered', admission.resources)
      }
      return runRecorded(call, 'record', admission.resources)
    case 'ask':
      return runRecorded(call, admission.step, admission.resources)
    case 'refuse':
      throw refused(call, admission.refusal, admission.reason)
    default:
      return admission satisfies never
  }
}

function runPlain(call: Call): unknown {
  const { gate, tool } = call
  if (gate.events.hears('call-allowed')) gate.events.emit('call-allowed', eventOf(call))
  return tool.execute?.call(
    tool.tool,
    call.input,
    optionsFor(call, new CallContext(call, undefined)),
  )
}
