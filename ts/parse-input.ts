// Has the tool's own parser read an input that the AI SDK did not parse. It stands apart because
// two paths need it, `table.call` and an edited input, and because a parser is foreign code that
// may throw.

import { messageOf } from './envelope.ts'
import type { Events } from './events.ts'
import type { RegisteredTool } from './register-tools.ts'
import type { Parsed } from './tool-schema.ts'

/** What the tool's parser makes of `value`; the value itself where the core validates. */
export async function parseInput(tool: RegisteredTool, value: unknown, events: Events): Promise<Parsed> {
  const { parse } = tool.schema
  if (parse === undefined) return { ok: true, value }
  try {
    return await parse(value)
  } catch (thrown) {
    // A refinement that throws is a fault of the schema; the input did not pass it. What it says may
    // hold what only the operator should read.
    events.warn(`the schema of \`${tool.name}\` threw: ${messageOf(thrown)}`, 'look at its refinements')
    return { ok: false, complaint: 'it could not be checked' }
  }
}
