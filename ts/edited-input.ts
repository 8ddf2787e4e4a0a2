// Takes an input that a person changed. It stands apart because a changed input is a new input: it
// is parsed, validated and decided like one, and only the question is not asked again.

import { admit } from './admit.ts'
import type { Call } from './call.ts'
import { quote, refuse, type Refusal } from './envelope.ts'
import { canonicalInput, type CanonicalInput } from './file-call.ts'
import { inputInvalid } from './input-validator.ts'
import { parseInput } from './parse-input.ts'

/** The changed input, or why it may not run. */
export type Edited =
  (CanonicalInput & { readonly ok: true }) | { readonly ok: false; readonly refusal: Refusal }

/** Checks the input that a person put in the place of the model's. */
export async function editedInput(call: Call, input: unknown): Promise<Edited> {
  const { gate, tool } = call
  if (!(await isStable(call))) return { ok: false, refusal: changesTwice(call) }
  const parsed = await parseInput(tool, canonicalInput(tool, input).value, gate.events)
  if (!parsed.ok) return { ok: false, refusal: inputInvalid(tool.name, quote(parsed.complaint)) }
  const canonical = canonicalInput(tool, parsed.value)
  const admission = admit(gate, tool, canonical.value)
  // A deny stops; an ask does not, because a person has just answered it.
  if (admission.step === 'refuse') return { ok: false, refusal: admission.refusal }
  return { ok: true, ...canonical }
}

/**
 * Whether the schema leaves alone what it has parsed before. A person changes what was shown, which
 * is parsed already; a schema that multiplies would do it a second time.
 */
async function isStable({ gate, tool, input }: Call): Promise<boolean> {
  if (tool.schema.parse === undefined) return true
  const shown = canonicalInput(tool, input)
  const again = await parseInput(tool, shown.value, gate.events)
  return again.ok && canonicalInput(tool, again.value).hash === shown.hash
}

function changesTwice({ tool }: Call): Refusal {
  const message = `\`${tool.name}\` did not run: a person changed its input, and its schema transforms what it reads`
  return refuse('CONFLICT', message, { help: 'Make a new call with the input that the person wants' })
}
