// Builds the table of one request: asks the core what is visible, wraps those tools, and puts
// together what a user gets. It stands apart because it runs for every request; whatever can be
// known earlier stands in `register-tools.ts`.

import { explainCall } from './admit.ts'
import { kindOf, optionInvalid } from './check.ts'
import { callByName } from './call-by-name.ts'
import { messageOf } from './envelope.ts'
import { Events } from './events.ts'
import type { Core, Gate, Who, Writer } from './gate.ts'
import { gateTool } from './gated-tool.ts'
import { newMemory, randomSession, type SessionMemory } from './identity.ts'
import * as native from './native.ts'
import type { Explanation } from './native.ts'
import type { ToolLike, ToolTable } from './options.ts'
import type { RegisteredTool } from './register-tools.ts'
import { isPartial } from './resources.ts'
import type { Snapshot } from './snapshot.ts'
import type { Table } from './table.ts'
import { toolApprovalOf } from './to-ai-sdk.ts'
import { toModelMessages } from './to-ai-sdk-messages.ts'
import type { Settings } from './to-ai-sdk-types.ts'
import { checkTurn, childTurnKeys, turnKeys, type CheckedTurn } from './turn.ts'

/** Builds a table for `turn`, as the application passed it. */
export function buildTable(core: Core, snapshot: Snapshot, events: Events, turn: unknown): Table<ToolTable> {
  const checked = checkTurn(turn, turnKeys)
  const { session = randomSession(), role, tenant, principal, messageId } = checked
  const isSessionNamed = checked.session !== undefined
  const built = native.buildTable(snapshot.registry, turnText(core, checked), factsOf(checked))
  // Bound last: a table that cannot be built must not keep its session for whoever asked for it.
  // A random session ends with its table, so it takes no place among those that come back.
  const memory = isSessionNamed
    ? core.sessions.bind(session, tenant, principal)
    : newMemory(tenant, principal)
  const who: Who = { session, isSessionNamed, role, tenant, principal, messageId, depth: 0 }
  return assemble({ core, snapshot, events: new Events(events), who, memory, turn: checked, built })
}

interface Parts {
  readonly core: Core
  readonly snapshot: Snapshot
  readonly events: Events
  readonly who: Who
  readonly memory: SessionMemory
  readonly turn: CheckedTurn
  readonly built: native.BuiltTable
}

/** The turn as the core reads it. Lists of pairs, because an object would lose the order of digits. */
function turnText(core: Core, turn: CheckedTurn): string {
  return JSON.stringify({
    model: turn.model,
    flags: turn.flags,
    role: turn.role,
    tenant: turn.tenant,
    principal: turn.principal,
    permission: turn.permission,
    tools: turn.tools,
    shadow: turn.isShadow,
    // Without a callback the approvals of the AI SDK are a way to ask; where even they are not,
    // the call says so with the fix.
    canAsk: true,
    hasStore: core.ledger !== undefined,
  })
}

/** What conditions of rules may look at beside the input. */
function factsOf({ role, tenant, principal, flags }: CheckedTurn): object {
  return { role, tenant, principal, flags }
}

/** The state of a tool that is in the table; the others say which layer took it out. */
const visible = 0

/** The state of a tool that does not exist for this tenant. */
const absent = 1

function assemble(parts: Parts): Table<ToolTable> {
  const { core, snapshot, events, who, memory, turn, built } = parts
  const gate: Gate = {
    core,
    who,
    memory,
    table: built.handle,
    needsInput: native.needsInput(built.handle),
    events,
    abortSignal: turn.abortSignal,
    turn: turn.turn,
    isTurnGiven: turn.turn !== undefined,
    writer: undefined,
  }
  const inTable = snapshot.tools.filter(({ index }) => built.states[index] === visible)
  const byName = new Map(inTable.map((tool) => [tool.name, tool]))
  const tools: Record<string, ToolLike> = Object.create(null)
  for (const tool of inTable) tools[tool.name] = gateTool(gate, tool)
  let settings: Settings<ToolTable> | undefined
  let hidden: readonly native.Hidden[] | undefined
  return {
    tools,
    // Made when read: a script that only calls tools never needs the approvals of the AI SDK.
    get settings() {
      return (settings ??= {
        tools,
        toolApproval: toolApprovalOf(gate, inTable),
        experimental_toolApprovalSecret: core.secret(),
      })
    },
    get hidden() {
      return (hidden ??= native.hidden(built.handle))
    },
    session: who.session,
    messages: (messages) => toModelMessages(gate, () => renderingTools(snapshot, built), messages),
    explain: (name, input) => explainByName(gate, byName.get(name), name, input),
    call: (name, input, options) => callByName(gate, byName.get(name), name, input, options),
    child: (childTurn = {}) => buildChild(parts, gate, childTurn),
    attach: (writer) => {
      gate.writer = checkWriter(writer)
    },
    on: events.on,
  }
}

/**
 * The tools that old results are rendered with. Hidden ones too: an old result reads the same,
 * whatever this turn may see. Not those that the tenant does not have: the messages come from the
 * browser, and a result that is made up there must not run code of somebody else's tool.
 */
function renderingTools({ tools }: Snapshot, { states }: native.BuiltTable): ToolTable {
  const known: Record<string, ToolLike> = Object.create(null)
  for (const { name, index, tool } of tools) if (states[index] !== absent) known[name] = tool
  return known
}

function explainByName(
  gate: Gate,
  tool: RegisteredTool | undefined,
  name: string,
  input: unknown,
): Explanation {
  if (tool === undefined) return native.explainHidden(gate.table, name)
  try {
    const resources = input === undefined ? ['*'] : tool.resourcesOf(input)
    const explanation = explainCall(gate, tool, resources, input)
    const isDecided = explanation.action === 'deny' || !isPartial(resources)
    return isDecided ? explanation : explainCall(gate, tool, [], input)
  } catch (thrown) {
    // A getter of the host threw; a call with this input is refused.
    throw optionInvalid('input', `cannot be read: ${messageOf(thrown)}`, 'pass plain data')
  }
}

/** A table under another: the core keeps the parent as a ceiling, the person served stays the same. */
function buildChild(parts: Parts, parent: Gate, turn: object): Table<ToolTable> {
  const checked = checkTurn(turn, childTurnKeys)
  const { tenant, principal } = parts.who
  const role = checked.role ?? parts.who.role
  const inherited: CheckedTurn = {
    ...checked,
    role,
    tenant,
    principal,
    model: checked.model ?? parts.turn.model,
    isShadow: checked.isShadow || parts.turn.isShadow,
    abortSignal: checked.abortSignal ?? parts.turn.abortSignal,
  }
  return assemble({
    ...parts,
    who: {
      ...parts.who,
      role,
      messageId: checked.messageId ?? parts.who.messageId,
      depth: parts.who.depth + 1,
    },
    turn: inherited,
    events: new Events(parts.events),
    built: native.childTable(parent.table, turnText(parts.core, inherited), factsOf(inherited)),
  })
}

function checkWriter(value: unknown): Writer {
  if (isWriter(value)) return value
  throw optionInvalid('attach', `got ${kindOf(value)}`, 'pass the writer of `createUIMessageStream`')
}

function isWriter(value: unknown): value is Writer {
  return typeof value === 'object' && value !== null && 'write' in value && typeof value.write === 'function'
}
