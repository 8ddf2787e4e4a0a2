// Runs a call under a record: a guarded one, or one that a person is asked about. It stands apart
// because all of it may wait, while a plain call never does, and because of its one promise: the
// tool runs at most once for a call, whoever calls it how often.

import { faultRefusal } from './admit.ts'
import { CallContext } from './call-context.ts'
import { eventOf, optionsFor, type Call } from './call.ts'
import { textOf } from './envelope-text.ts'
import { messageOf, quote, refuse, type Envelope, type Refusal } from './envelope.ts'
import { RefusalError } from './errors.ts'
import { fileCall } from './file-call.ts'
import type { Settled } from './ledger-run.ts'
import type { Settlement } from './ledger-step.ts'
import { isAsyncIterable, lastOf } from './last-of.ts'
import { parseEnvelope } from './native.ts'
import { obtain, type Right, type Why } from './obtain.ts'
import { refused } from './refused.ts'
import { aborted } from './rejection.ts'
import { isWithoutEffect } from './settlement.ts'

/** Runs a call under a record, in the shape that its tool has. */
export function runRecorded(call: Call, why: Why, resources: readonly string[]): unknown {
  return call.tool.isStreaming ? stream(call, why, resources) : settleLast(call, why, resources)
}

/** A tool that gives one value; an iterable it promised after all is drained to its last one. */
async function settleLast(call: Call, why: Why, resources: readonly string[]): Promise<unknown> {
  const { right, leave } = await enter(call, why, resources)
  try {
    if (right.step === 'replay') return replayed(call, right.envelope)
    try {
      const output = await lastOf(start(call, right))
      await settle(call, right, { ok: true, output, meta: {} })
      return output
    } catch (thrown) {
      await settleFailure(call, right, thrown)
      throw thrown
    }
  } finally {
    leave()
  }
}

/** A tool that streams: asked first, then every part as it comes; the last one is the result. */
async function* stream(call: Call, why: Why, resources: readonly string[]): AsyncGenerator {
  const { right, leave } = await enter(call, why, resources)
  try {
    if (right.step === 'replay') {
      yield replayed(call, right.envelope)
      return
    }
    yield* streamUnder(call, right)
  } finally {
    leave()
  }
}

async function* streamUnder(call: Call, right: Running): AsyncGenerator {
  let output: unknown
  let isSettled = false
  try {
    const parts = await start(call, right)
    if (isAsyncIterable(parts)) {
      for await (output of parts) yield output
    } else {
      output = parts
      yield output
    }
    isSettled = true
    await settle(call, right, { ok: true, output, meta: {} })
  } catch (thrown) {
    isSettled = true
    await settleFailure(call, right, thrown)
    throw thrown
  } finally {
    // The consumer stopped in the middle: the tool may have had its effect.
    if (!isSettled) await settleFailure(call, right, new Error('nobody waited for the result'))
  }
}

/**
 * Goes in alone and obtains the right to run. Every way in which that fails is a refusal, also a
 * store that does not answer.
 */
async function enter(
  call: Call,
  why: Why,
  resources: readonly string[],
): Promise<{ right: Right; leave: () => void }> {
  let leave = (): void => {}
  try {
    const filed = fileCall(call)
    const entry = await call.gate.core.turnstile.enter(filed.parts.key, call.abortSignal)
    if (entry.type === 'aborted') throw new RefusalError(aborted(call))
    if (entry.type === 'taken') throw new RefusalError(inProgress(call))
    leave = entry.leave
    return { right: await obtain(call, filed, why, resources), leave }
  } catch (thrown) {
    leave()
    throw refused(call, faultRefusal(call.tool.name, thrown), messageOf(thrown))
  }
}

function inProgress({ tool }: Call): Refusal {
  const message = `this call of \`${tool.name}\` runs already, and its result did not come in time`
  return refuse('CALL_IN_PROGRESS', message, { retryable: true })
}

/** The stored result of an earlier run. */
function replayed(call: Call, text: string): unknown {
  const envelope = parseEnvelope(text)
  if (call.meta !== undefined) call.meta.replayed = true
  call.gate.events.emit('call-replayed', eventOf(call))
  if (!envelope.ok) throw new RefusalError(envelope)
  return envelope.output
}

type Running = Extract<Right, { step: 'run' }>

function start(call: Call, right: Running): unknown {
  const { tool, gate } = call
  if (gate.events.hears('call-allowed')) gate.events.emit('call-allowed', eventOf(call))
  const context = new CallContext(call, right.run?.key)
  return tool.execute?.call(tool.tool, right.input, optionsFor(call, context))
}

async function settle(call: Call, right: Running, envelope: Extract<Envelope, { ok: true }>): Promise<void> {
  await record(call, right, { type: 'succeeded', envelope: textOf(envelope) })
}

/**
 * Records a call that threw. A guarded one counts as failed only where that is proven; everything
 * else is unknown, and a person has to look before it may be tried again.
 */
async function settleFailure(call: Call, right: Running, thrown: unknown): Promise<void> {
  const message = quote(messageOf(thrown))
  const isKnown = !call.tool.isGuarded || isWithoutEffect(thrown)
  if (isKnown) {
    await record(call, right, { type: 'failed', envelope: JSON.stringify(refuse('TOOL_FAILED', message)) })
  } else {
    await record(call, right, { type: 'unknown', message })
  }
}

async function record(call: Call, right: Running, outcome: Settlement): Promise<void> {
  const { gate } = call
  gate.events.emit('call-settled', { ...eventOf(call), outcome: outcome.type })
  let settled = await right.run?.settle(outcome)
  // Whatever could not be written down, a record left as running would keep its duplicates waiting.
  if (settled !== undefined && isInternal(settled)) settled = await right.run?.settle(unwritable)
  // The tool has run, so its result is told either way.
  if (settled?.recorded === false) {
    gate.events.warn(
      `the outcome of a call of \`${call.tool.name}\` could not be recorded`,
      'look at the store',
    )
  }
}

const unwritable: Settlement = { type: 'unknown', message: 'what came of this call could not be recorded' }

function isInternal({ outcome }: Settled): boolean {
  return outcome.type === 'refused' && outcome.code === 'INTERNAL'
}
