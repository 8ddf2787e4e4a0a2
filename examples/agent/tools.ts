// The tools of this agent: ordinary AI SDK tools, as an application has them before it has a gate.
// Nothing here knows of permissions. What each tool may do stands in `toolgate.jsonc`, and what its
// calls are about (which file) in `agent.ts`.

import { appendFile, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { jsonSchema, tool } from 'ai'
import { z } from 'zod'
import type { Workspace } from './workspace.ts'

const maxReadBytes = 20_000
const maxMatches = 20

const path = z.string().describe('a path in the directory, or under @scratch/')

/** The tools over `workspace`. `mayRead` keeps the search out of files that a read would not open. */
export function createTools(workspace: Workspace, mayRead: (path: string) => boolean) {
  return {
    read_file: tool({
      description: 'Read the start of a text file.',
      inputSchema: z.object({ path }),
      async execute(input) {
        const { text, isWhole } = await workspace.read(input.path, maxReadBytes)
        return isWhole ? text : `${text}\n[cut after ${maxReadBytes} bytes]`
      },
    }),

    search_text: tool({
      description: 'Find a text in the files of the directory.',
      inputSchema: z.object({ text: z.string().min(2) }),
      async execute(input, { abortSignal }) {
        const matches: string[] = []
        for await (const name of workspace.files()) {
          abortSignal?.throwIfAborted()
          if (!mayRead(name)) continue
          const content = await workspace.read(name, 100_000).catch(() => null)
          for (const [index, line] of (content?.text ?? '').split('\n').entries()) {
            if (!line.includes(input.text)) continue
            matches.push(`${name}:${index + 1}: ${line.trim().slice(0, 120)}`)
            if (matches.length === maxMatches) return [...matches, '[more matches left out]'].join('\n')
          }
        }
        return matches.length === 0 ? 'no match' : matches.join('\n')
      },
    }),

    append_note: tool({
      description: 'Append a note to @scratch/notes.md.',
      inputSchema: z.object({ text: z.string().min(1) }),
      async execute(input) {
        await appendFile(join(workspace.scratch, 'notes.md'), `${input.text}\n`)
        return 'noted in @scratch/notes.md'
      },
    }),

    delete_file: tool({
      description: 'Delete a file for good.',
      inputSchema: z.object({ path }),
      async execute(input) {
        await workspace.remove(input.path)
        return `deleted ${input.path}`
      },
    }),

    long_log: tool({
      description: 'Print the last lines of the log of a build.',
      // Plain JSON Schema brings no parser: the gate validates it and words the faults for the model.
      inputSchema: jsonSchema<{ lines: number }>({
        type: 'object',
        properties: { lines: { type: 'integer', minimum: 1, maximum: 1_000 } },
        required: ['lines'],
        additionalProperties: false,
      }),
      execute: (input) =>
        Array.from({ length: input.lines }, (_, index) => `[${index + 1}] step finished`).join('\n'),
    }),

    // The three below never reach the model in this example: see the funnel in the transcript.

    count_lines: tool({
      description: 'Count the lines of a text file.',
      inputSchema: z.object({ path }),
      async execute(input) {
        const { text } = await workspace.read(input.path, 1_000_000)
        return { lines: text.split('\n').length }
      },
    }),

    empty_scratch: tool({
      description: 'Delete everything under @scratch/.',
      inputSchema: z.object({}),
      async execute() {
        const names = await readdir(workspace.scratch)
        await Promise.all(names.map((name) => rm(join(workspace.scratch, name), { recursive: true })))
        return `deleted ${names.length} files`
      },
    }),

    send_report: tool({
      description: 'Send a report to the team.',
      inputSchema: z.object({ text: z.string().min(1) }),
      async execute(input) {
        // A file stands in for the mail server.
        await appendFile(join(workspace.scratch, 'outbox.md'), `${input.text}\n`)
        return 'sent'
      },
    }),
  }
}
