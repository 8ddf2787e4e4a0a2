// Makes of a call what a record holds: a copy of the input, its hash, and the name of the call. It
// stands apart because everything that is compared later (an answer, a duplicate, an edit) is
// compared with what is written here, and the tool gets the copy that was hashed.

import type { Call } from './call.ts'
import { quote, refuse, type Refusal } from './envelope.ts'
import { RefusalError } from './errors.ts'
import { turnIn } from './gate.ts'
import type { CallParts } from './ledger-step.ts'
import { callKey, canonicalHash } from './native.ts'
import { toPlainJson } from './plain-json.ts'
import type { RegisteredTool } from './register-tools.ts'

/** A call in the form that the ledger takes. */
export interface FiledCall {
  readonly parts: CallParts
  /** The copy that runs. */
  readonly value: unknown
}

/** Files the call, or throws the refusal of an input that has no canonical form. */
export function fileCall(call: Call): FiledCall {
  const { gate, tool, callId, messages } = call
  const { tenant, session, principal } = gate.who
  const { value, text, hash } = canonicalInput(tool, call.input)
  const turn = turnIn(gate, messages)
  const key = callKey(JSON.stringify([tenant ?? null, session, turn, tool.name, callId]))
  return {
    value,
    parts: {
      key,
      tenant: tenant ?? null,
      session,
      turn,
      tool: tool.name,
      callId,
      principal: principal ?? null,
      effect: tool.effect,
      toolHash: tool.fingerprint(),
      inputHash: hash,
      input: text,
    },
  }
}

/** An input as canonical JSON: the copy, its text, its hash. */
export interface CanonicalInput {
  readonly value: unknown
  readonly text: string
  readonly hash: string
}

/** Copies an input and hashes the copy; refuses what two readers could read differently. */
export function canonicalInput(tool: RegisteredTool, input: unknown): CanonicalInput {
  const plain = toPlainJson(input)
  if (!plain.ok) throw new RefusalError(notCanonical(tool, plain))
  const { value, text } = plain
  const hash = canonicalHash(text)
  if (hash === null) throw new RefusalError(notCanonical(tool, { reason: 'it has no canonical form', path: '' }))
  return { value, text, hash }
}

/** The refusal of an input that is not JSON, with the place where it is not. */
export function notCanonical(tool: RegisteredTool, { reason, path }: { reason: string; path: string }): Refusal {
  const place = path === '' ? '' : ` (at \`${quote(path)}\`)`
  return refuse('INPUT_NOT_CANONICAL', `the input of \`${tool.name}\` is not JSON: ${reason}${place}`)
}
