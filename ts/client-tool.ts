// Guards a tool that the browser runs. It stands apart because such a tool has no `execute` that
// could refuse, and the AI SDK 6 knows no denial: what stops a call there is an input that its
// schema does not take, so the schema decides as well.

import { admit, cannotAsk } from './admit.ts'
import { callOf } from './call.ts'
import type { Refusal } from './envelope.ts'
import type { RefusalError } from './errors.ts'
import type { Gate } from './gate.ts'
import { asksItself } from './own-approval.ts'
import { parseInput } from './parse-input.ts'
import { refused } from './refused.ts'
import type { RegisteredTool } from './register-tools.ts'
import { jsonSchemaThroughSdk } from './to-ai-sdk-schema.ts'
import { validatingSchema } from './tool-schema.ts'
import { noStore } from './without-ledger.ts'

type Validated = { success: true; value: unknown } | { success: false; error: Error }

/** The schema of a client tool: it takes what the tool's own takes, where the call is not refused. */
export function admittingSchema(gate: Gate, tool: RegisteredTool): object {
  const validate = async (value: unknown): Promise<Validated> => {
    const parsed = await parseInput(tool, value, gate.events)
    if (!parsed.ok) return { success: false, error: new Error(parsed.complaint) }
    const refusal = await refusalOf(gate, tool, parsed.value)
    if (refusal === undefined) return { success: true, value: parsed.value }
    return { success: false, error: refusal }
  }
  const unused = (): Validated => ({ success: false, error: new Error('unused') })
  const schema = validatingSchema({}, unused)
  return Object.defineProperties(schema, {
    validate: { value: validate, enumerable: true },
    // Made when read, and by the AI SDK, so that the model reads what it would read without us.
    jsonSchema: { get: () => jsonSchemaFor(tool), enumerable: true },
  })
}

function jsonSchemaFor({ tool, schema, validator }: RegisteredTool): unknown {
  const { jsonSchema = {} } = schema
  if (validator !== undefined) return jsonSchema
  const own: unknown = 'inputSchema' in tool ? tool.inputSchema : undefined
  return jsonSchemaThroughSdk(own).then((converted) => converted ?? jsonSchema)
}

async function refusalOf(
  gate: Gate,
  tool: RegisteredTool,
  input: unknown,
): Promise<RefusalError | undefined> {
  const call = callOf(gate, tool, input, undefined)
  const admission = admit(gate, tool, input)
  tool.validator?.forget(input)
  if (admission.step === 'refuse') return refused(call, admission.refusal, admission.reason)
  if (admission.step === 'suppress') return undefined
  const unaskable = unaskableBecause(gate, tool)
  if (unaskable === undefined) return undefined
  const isAsked = admission.step === 'ask' || (await asksItself(call))
  return isAsked ? refused(call, unaskable) : undefined
}

/** Only the approvals of the AI SDK can ask about a client tool. */
function unaskableBecause(gate: Gate, tool: RegisteredTool): Refusal | undefined {
  if (gate.core.ledger === undefined) return noStore({ tool })
  return gate.who.isSessionNamed && gate.who.depth === 0 ? undefined : cannotAsk(gate, tool)
}
