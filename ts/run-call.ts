// The flow of one call, from `execute` or `table.call` to what comes back. It stands apart as the
// page to read first: each step is one line here, and its detail is in the file it names.

import { admit, type Admission } from './admit.ts'
import { answerFor } from './approval-messages.ts'
import { CallContext } from './call-context.ts'
import { callOf, eventOf, optionsFor, type Call, type WritableMeta } from './call.ts'
import { runRecorded } from './call-recorded.ts'
import { notCanonical } from './file-call.ts'
import type { Gate } from './gate.ts'
import { isAsyncIterable, lastOf } from './last-of.ts'
import type { Why } from './obtain.ts'
import { asksItself } from './own-approval.ts'
import { toPlainJson } from './plain-json.ts'
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
  // Before anything waits: what is recorded, and maybe shown to a person, is what was decided.
  return run(tool.isGuarded ? copied(call) : call)
}

function run(call: Call): unknown {
  const admission = admissionOf(call)
  switch (admission.step) {
    case 'run':
    case 'record':
      return runAllowed(call, admission)
    case 'suppress':
      return runShadow(call)
    case 'ask':
      return runUnder(call, 'ask', admission.resources)
    case 'refuse':
      throw refused(call, admission.refusal, admission.reason)
    default:
      return admission satisfies never
  }
}

function admissionOf({ gate, tool, input }: Call): Admission {
  const admission = admit(gate, tool, input)
  tool.validator?.forget(input)
  return admission
}

/** The call with an input that nobody else holds; throws the refusal where there is no copy. */
function copied(call: Call): Call {
  const plain = toPlainJson(call.input)
  const { tool } = call
  if (plain.ok) {
    tool.validator?.forget(call.input)
    return { ...call, input: plain.value }
  }
  // What the rules or the schema say about it tells more than that it is not JSON.
  const admission = admissionOf(call)
  if (admission.step === 'refuse') throw refused(call, admission.refusal, admission.reason)
  throw refused(call, notCanonical(tool, plain))
}

type Allowed = Extract<Admission, { step: 'run' | 'record' }>

/** The rules let the call run; the tool itself may still want a person to be asked. */
function runAllowed(call: Call, admission: Allowed): unknown {
  const isAsked = asksItself(call)
  if (typeof isAsked === 'boolean') return runAnswered(call, admission, isAsked)
  return call.tool.isStreaming ? streamLater(call, admission, isAsked) : runLater(call, admission, isAsked)
}

async function runLater(call: Call, admission: Allowed, isAsked: Promise<boolean>): Promise<unknown> {
  return lastOf(runAnswered(call, admission, await isAsked))
}

async function* streamLater(call: Call, admission: Allowed, isAsked: Promise<boolean>): AsyncGenerator {
  const parts = await runAnswered(call, admission, await isAsked)
  if (isAsyncIterable(parts)) yield* parts
  else yield parts
}

function runAnswered(call: Call, { step, resources }: Allowed, isAsked: boolean): unknown {
  if (isAsked) return runUnder(call, 'ask', resources)
  // An answer about a call that nobody has to be asked about: only a record tells a rule that was
  // changed meanwhile from a history that was made up.
  if (answerFor(call.messages, call.callId) !== undefined) return runUnder(call, 'answered', resources)
  return step === 'run' ? runPlain(call) : runUnder(call, 'record', resources)
}

/**
 * Runs the call under a record, which holds a copy: the same that is decided about. `resources` are
 * those of the decision; looked up again, they could be others, and more than was asked about.
 */
function runUnder(call: Call, why: Why, resources: readonly string[]): unknown {
  if (call.tool.isGuarded) return runRecorded(call, why, resources)
  const copy = copied(call)
  const admission = admissionOf(copy)
  if (admission.step === 'refuse') throw refused(copy, admission.refusal, admission.reason)
  if (admission.step === 'suppress') return runShadow(copy)
  return runRecorded(copy, why, admission.resources)
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
