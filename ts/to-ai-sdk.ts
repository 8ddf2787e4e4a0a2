// Says a decision in the words of the AI SDK. It stands apart because two majors have two ways to
// ask: the 7 reads a map of functions, the 6 a function on each tool. Neither protects anything;
// `execute` decides again, whatever was said here.
//
// | ours  | SDK 7                    | SDK 6                         |
// |-------|--------------------------|-------------------------------|
// | ask   | `user-approval` + reason | `needsApproval` is true       |
// | deny  | `denied` + reason        | false, and `execute` throws   |
// | allow | `not-applicable`         | false                         |

import { admit, faultRefusal } from './admit.ts'
import { holdsRequest } from './approval-messages.ts'
import { askNatively, type Status } from './ask-natively.ts'
import { callOf, type Call } from './call.ts'
import { messageOf } from './envelope.ts'
import type { Gate } from './gate.ts'
import { asksItself } from './own-approval.ts'
import { refused } from './refused.ts'
import type { RegisteredTool } from './register-tools.ts'
import type { ApprovalOptions, ApprovalStatus, ToolApproval } from './to-ai-sdk-types.ts'

const notApplicable: Status = { type: 'not-applicable' }

/** The map `toolApproval`: one function for every tool, because a gap falls back to the tool's own. */
export function toolApprovalOf(gate: Gate, tools: Iterable<RegisteredTool>): Record<string, ToolApproval> {
  const map: Record<string, ToolApproval> = Object.create(null)
  for (const tool of tools) map[tool.name] = (input, options) => sevenStatus(gate, tool, input, options)
  return map
}

/** What throws here would reject the whole stream, so nothing does. */
function sevenStatus(
  gate: Gate,
  tool: RegisteredTool,
  input: unknown,
  options: ApprovalOptions,
): ApprovalStatus | Promise<ApprovalStatus> {
  const fault = (thrown: unknown): Status => ({
    type: 'denied',
    refusal: faultRefusal(tool.name, thrown),
    reason: messageOf(thrown),
  })
  const tell = (status: Status): ApprovalStatus => told(callOf(gate, tool, input, options), status)
  try {
    const status = statusOf(gate, tool, input, options)
    if (status instanceof Promise) return status.catch(fault).then(tell)
    return status.type === 'denied' ? tell(status) : status
  } catch (thrown) {
    return tell(fault(thrown))
  }
}

/** Here a refusal ends the call: the 7 never comes to `execute`, so the listeners hear it now. */
function told(call: Call, status: Status): ApprovalStatus {
  if (status.type !== 'denied') return status
  return { type: 'denied', reason: refused(call, status.refusal, status.reason).message }
}

/** `needsApproval` of a wrapped tool. A refusal is no question: `execute` says it. */
export function needsApprovalOf(
  gate: Gate,
  tool: RegisteredTool,
): (input: unknown, options: ApprovalOptions) => boolean | Promise<boolean> {
  return (input, options) => {
    // The 6 asks again when the answer comes back, and takes "no longer needed" for a denial. A rule
    // that turned into allow in between must not break the approval that it made unnecessary.
    const { messages, callId } = callOf(gate, tool, input, options)
    if (holdsRequest(messages, callId)) return true
    const status = statusOf(gate, tool, input, options)
    return status instanceof Promise ? status.then(isQuestion) : isQuestion(status)
  }
}

function isQuestion({ type }: Status): boolean {
  return type === 'user-approval'
}

function statusOf(
  gate: Gate,
  tool: RegisteredTool,
  input: unknown,
  options: ApprovalOptions,
): Status | Promise<Status> {
  const admission = admit(gate, tool, input)
  switch (admission.step) {
    case 'run':
    case 'record':
      return ownQuestion(callOf(gate, tool, input, options), admission.resources)
    case 'suppress':
      return notApplicable
    case 'ask':
      return question(callOf(gate, tool, input, options), admission.resources)
    case 'refuse':
      return { type: 'denied', refusal: admission.refusal, reason: admission.reason }
    default:
      return admission satisfies never
  }
}

/** A tool that says `needsApproval` itself is asked about, although the rules would let it run. */
function ownQuestion(call: Call, resources: readonly string[]): Status | Promise<Status> {
  const isAsked = asksItself(call)
  if (isAsked === false) return notApplicable
  if (isAsked === true) return question(call, resources)
  return isAsked.then((isYes) => (isYes ? question(call, resources) : notApplicable))
}

function question(call: Call, resources: readonly string[]): Status | Promise<Status> {
  // With a callback the question is asked inside `execute`, on every path that leads there; a tool
  // that the browser runs has no inside.
  if (call.gate.core.ask !== undefined && call.tool.execute !== undefined) return notApplicable
  return askNatively(call, resources)
}
