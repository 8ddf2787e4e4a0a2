// The same path without the AI SDK: `table.call`. It stands apart because here nobody has parsed
// the input and nobody catches: the input is copied and parsed first, and every end of the call is
// an envelope.

import { isSignal, type WritableMeta } from './call.ts'
import { checkKeys, checkObject, checkText, kindOf, optionInvalid } from './check.ts'
import { messageOf, quote, refuse, type Envelope } from './envelope.ts'
import { RefusalError } from './errors.ts'
import { notCanonical } from './file-call.ts'
import type { Gate } from './gate.ts'
import { callIdOf } from './identity.ts'
import { inputInvalid } from './input-validator.ts'
import { lastOf } from './last-of.ts'
import { parseInput } from './parse-input.ts'
import { toPlainJson } from './plain-json.ts'
import type { RegisteredTool } from './register-tools.ts'
import { runCall } from './run-call.ts'
import type { CallOptions } from './table.ts'

const optionKeys = ['callId', 'abortSignal', 'messages']

/** Runs a call and comes back with its envelope. Throws only for options that do not exist. */
export async function callByName(
  gate: Gate,
  tool: RegisteredTool | undefined,
  name: unknown,
  input: unknown,
  options: CallOptions = {},
): Promise<Envelope> {
  checkKeys(checkObject(options, 'options'), 'options', optionKeys)
  const toolCallId = callIdOf(checkText(options.callId, 'options.callId'))
  const { messages = [], abortSignal } = options
  checkWith(messages, 'messages', Array.isArray, 'pass the messages as a list')
  checkWith(abortSignal, 'abortSignal', isSignalOrNone, 'pass the signal of an `AbortController`')
  // The same words for a tool that is hidden and for one that does not exist.
  if (tool?.execute === undefined) {
    // Without types somebody may pass on whatever a model sent.
    const said = typeof name === 'string' ? quote(name) : kindOf(name)
    return refuse('TOOL_UNKNOWN', `there is no tool \`${said}\` to call here`)
  }
  try {
    const parsed = await readInput(gate, tool, input)
    const meta: WritableMeta = {}
    const sdkOptions = { toolCallId, messages, ...(abortSignal === undefined ? {} : { abortSignal }) }
    const output = await lastOf(runCall(gate, tool, parsed, sdkOptions, meta))
    return { ok: true, output, meta }
  } catch (thrown) {
    if (RefusalError.isInstance(thrown)) return thrown.envelope
    return refuse('TOOL_FAILED', quote(messageOf(thrown)))
  }
}

function checkWith(value: unknown, key: string, fits: (value: unknown) => boolean, help: string): void {
  if (!fits(value)) throw optionInvalid(`options.${key}`, `got ${kindOf(value)}`, help)
}

function isSignalOrNone(value: unknown): boolean {
  return value === undefined || isSignal(value)
}

/** Copies the input, then has the tool's own parser read it, where it has one. */
async function readInput({ events }: Gate, tool: RegisteredTool, input: unknown): Promise<unknown> {
  const plain = toPlainJson(input)
  if (!plain.ok) throw new RefusalError(notCanonical(tool, plain))
  const parsed = await parseInput(tool, plain.value, events)
  if (!parsed.ok) throw new RefusalError(inputInvalid(tool.name, quote(parsed.complaint)))
  return parsed.value
}
