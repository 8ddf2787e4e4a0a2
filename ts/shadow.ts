// Serves a call of a shadow run: recorded, not run. It stands apart because nothing here may reach
// the tool; what the model reads instead is the tool's own stand-in, or a notice.

import type { Call } from './call.ts'
import { textOf } from './envelope-text.ts'
import { RefusalError } from './errors.ts'
import { fileCall } from './file-call.ts'
import { faultRefusal } from './admit.ts'
import { messageOf } from './envelope.ts'
import { parseEnvelope } from './native.ts'
import { refused, refusedBy } from './refused.ts'

/** Gives what stands in for the output of a guarded call. */
export async function runShadow(call: Call): Promise<unknown> {
  try {
    const output = await recorded(call, await standIn(call))
    if (call.meta !== undefined) call.meta.suppressed = true
    return output
  } catch (thrown) {
    throw refused(call, faultRefusal(call.tool.name, thrown), messageOf(thrown))
  }
}

async function standIn({ tool, input }: Call): Promise<unknown> {
  if (tool.shadow !== undefined) return tool.shadow(input)
  return `This is a shadow run: the call of \`${tool.name}\` was recorded and did not run.`
}

/** Records the call; the same call gets the same stand-in again. */
async function recorded(call: Call, output: unknown): Promise<unknown> {
  const { ledger } = call.gate.core
  if (ledger === undefined) return output
  const envelope = textOf({ ok: true, output, meta: { suppressed: true } })
  const outcome = await ledger.propose(fileCall(call).parts, { type: 'suppressed', envelope })
  if (outcome.type === 'refused') throw new RefusalError(refusedBy(outcome))
  if (outcome.type !== 'suppressed' || outcome.envelope === envelope) return output
  const earlier = parseEnvelope(outcome.envelope)
  return earlier.ok ? earlier.output : output
}
