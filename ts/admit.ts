// Decides about one call, at once and without waiting. It stands apart because the approval that
// the AI SDK asks for and the `execute` that runs later both come here: a decision is never
// remembered from the one to the other, and every fault on the way is a refusal.

import { refuse, type Refusal } from './envelope.ts'
import { RefusalError, ToolgateError } from './errors.ts'
import type { Gate } from './gate.ts'
import { decide, decideAll, explain, type Explanation } from './native.ts'
import { declareLine, type RegisteredTool } from './register-tools.ts'
import { isPartial } from './resources.ts'

/** What must happen with a call, and the resources that this was decided about. */
export type Admission =
  /** Run it now. */
  | { readonly step: 'run'; readonly resources: readonly string[] }
  /** Shadow run: say that it would have run. */
  | { readonly step: 'suppress' }
  /** Run it under a record: a rule that names the tool has approved it. */
  | { readonly step: 'record'; readonly resources: readonly string[] }
  /** A person has to say yes first. */
  | { readonly step: 'ask'; readonly resources: readonly string[] }
  | { readonly step: 'refuse'; readonly refusal: Refusal; readonly reason?: string }

const suppress: Admission = { step: 'suppress' }

/** The reason code of the core for a guarded call of a shadow run. */
const shadowed = 10

/**
 * Decides about a call to `tool` with `input`.
 *
 * First, the input has to fit, where the schema does not check it itself. Second, the call says
 * what it touches. Third, the rules decide. Last, a guarded call that a rule allows still needs a
 * record, because a rule does not keep a call from running twice.
 */
export function admit(gate: Gate, tool: RegisteredTool, input: unknown): Admission {
  try {
    const refusal = tool.validator?.check(input)
    if (refusal !== undefined) return { step: 'refuse', refusal }
    let resources = tool.resourcesOf(input)
    let verdict = verdictOf(gate, tool, resources, input)
    if (isPartial(resources) && (verdict & 0b11) < 2) {
      // Nothing that can be read is denied; what cannot be read is decided like an empty list.
      resources = []
      verdict = verdictOf(gate, tool, resources, input)
    }
    // Two bits of action, then four of reason: see the packed verdict in crates/node.
    const action = verdict & 0b11
    const why = (verdict >> 2) & 0b1111
    switch (action) {
      case 0:
        if (why === shadowed) return suppress
        return { step: tool.isGuarded ? 'record' : 'run', resources }
      case 1:
        return { step: 'ask', resources }
      default:
        return denied(tool, explainCall(gate, tool, resources, input))
    }
  } catch (thrown) {
    return { step: 'refuse', refusal: faultRefusal(tool.name, thrown), reason: String(thrown) }
  }
}

function verdictOf(gate: Gate, tool: RegisteredTool, resources: readonly string[], input: unknown): number {
  const only = resources[0]
  if (only !== undefined && resources.length === 1 && gate.needsInput[tool.index] !== 1) {
    return decide(gate.table, tool.index, only)
  }
  return decideAll(gate.table, tool.index, [...resources], input)
}

/** The reasons of a decision; fetched only for those who ask, because it costs more than deciding. */
export function explainCall(
  gate: Gate,
  tool: RegisteredTool,
  resources: readonly string[],
  input: unknown,
): Explanation {
  return explain(gate.table, tool.index, [...resources], input)
}

function denied(tool: RegisteredTool, { code, safe, text }: Explanation): Admission {
  const help =
    code === 'UNGUARDED_EFFECT' && !tool.isDeclared
      ? `If \`${tool.name}\` changes nothing, declare it: \`${declareLine(tool.name)}\``
      : undefined
  return { step: 'refuse', refusal: refuse(code ?? 'PERMISSION_DENIED', safe, { help }), reason: text }
}

/** The refusal for whatever went wrong while deciding. What is in the error stays with us. */
export function faultRefusal(name: string, thrown: unknown): Refusal {
  if (RefusalError.isInstance(thrown)) return thrown.envelope
  const code = ToolgateError.isInstance(thrown) ? thrown.code : 'INTERNAL'
  return refuse(code, `\`${name}\` was refused because the call could not be decided`)
}

/** The refusal where a person has to be asked and there is no way to. */
export function cannotAsk(gate: Gate, tool: RegisteredTool): Refusal {
  const declare = tool.isDeclared
    ? ''
    : `, or declare it if it changes nothing: \`${declareLine(tool.name)}\``
  const subject = `\`${tool.name}\` needs the approval of a person`
  if (gate.core.ask === undefined && gate.who.depth === 0 && !gate.who.isSessionNamed) {
    return refuse(
      'SESSION_REQUIRED',
      `${subject}, and the table has no session that an answer could come back to`,
      {
        help: `Pass \`session\` to \`table()\`, wire \`ask\` in \`createToolgate\`${declare}`,
      },
    )
  }
  return refuse('APPROVAL_REQUIRED', `${subject}, and nobody was asked`, {
    help: `Wire \`ask\` in \`createToolgate\`${declare}`,
  })
}
