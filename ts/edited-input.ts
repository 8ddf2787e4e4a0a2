// Takes an input that a person changed. It stands apart because a changed input is a new input: it
// is parsed, validated and decided like one, and only the question is not asked again.

import { admit } from './admit.ts'
import type { Call } from './call.ts'
import { quote, refuse, type Refusal } from './envelope.ts'
import { canonicalInput, type CanonicalInput } from './file-call.ts'
import { inputInvalid } from './input-validator.ts'
import { parseInput } from './parse-input.ts'
import type { RegisteredTool } from './register-tools.ts'

/** The changed input, or why it may not run. */
export type Edited =
  (CanonicalInput & { readonly ok: true }) | { readonly ok: false; readonly refusal: Refusal }

/** Checks the input that a person put in the place of the model's. */
export async function editedInput(call: Call, input: unknown): Promise<Edited> {
  const { gate, tool } = call
  const parsed = await parseInput(tool, canonicalInput(tool, input).value, gate.events)
  if (!parsed.ok) return { ok: false, refusal: inputInvalid(tool.name, quote(parsed.complaint)) }
  const canonical = canonicalInput(tool, parsed.value)
  const areStable = await Promise.all([isStable(call, call.input), isStable(call, canonical.value)])
  if (areStable.includes(false)) return { ok: false, refusal: noEdits(tool) }
  const admission = admit(gate, tool, canonical.value)
  // A deny stops; an ask does not, because a person has just answered it.
  if (admission.step === 'refuse') return { ok: false, refusal: admission.refusal }
  return { ok: true, ...canonical }
}

/**
 * Whether the parser of the tool leaves `input` as it is. A person changes what the parser made; a
 * parser that makes cents of euros would do so a second time.
 */
async function isStable({ gate, tool }: Call, input: unknown): Promise<boolean> {
  const { hash, value } = canonicalInput(tool, input)
  const parsed = await parseInput(tool, value, gate.events)
  return parsed.ok && canonicalInput(tool, parsed.value).hash === hash
}

function noEdits({ name }: RegisteredTool): Refusal {
  return refuse(
    'APPROVAL_REJECTED',
    `a person changed the input of this call of \`${name}\`, which cannot be taken over because the schema of \`${name}\` transforms what it reads; it did not run`,
  )
}
