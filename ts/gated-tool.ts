// Wraps one tool of one table. It stands apart because it is the seam to the AI SDK: what it does
// not replace (description, streaming hooks, `toModelOutput`, what nobody knows yet) is the tool's.

import { admittingSchema } from './client-tool.ts'
import type { Gate } from './gate.ts'
import type { ToolLike } from './options.ts'
import type { RegisteredTool } from './register-tools.ts'
import { runCall } from './run-call.ts'
import { needsApprovalOf } from './to-ai-sdk.ts'

/** The tool as the AI SDK gets it. A tool that the provider runs passes through as it is. */
export function gateTool(gate: Gate, tool: RegisteredTool): ToolLike {
  if (tool.isProvider) return tool.tool
  const needsApproval = needsApprovalOf(gate, tool)
  if (tool.execute === undefined) {
    return tool.wrapper({ needsApproval, inputSchema: admittingSchema(gate, tool) })
  }
  return tool.wrapper({
    // Not async, and no arrow over the result: see `runCall`.
    execute: (input: unknown, options: object | undefined) => runCall(gate, tool, input, options),
    needsApproval,
  })
}
