// The transcript: what a person sees of a run. It stands apart so that the agent reads as a flow
// nothing here decides anything. Text that came from the model or from files is made harmless
// first, because a terminal obeys escape sequences.

const indent = '    '
const labelWidth = 13
const colors = { green: 32, yellow: 33, red: 31, dim: 2, bold: 1 } as const

type Color = keyof typeof colors

/** How a line of a call begins, and its color. */
const labels = {
  allowed: 'green',
  asked: 'yellow',
  answer: 'yellow',
  refused: 'red',
  invalid: 'red',
  failed: 'red',
  returned: 'dim',
  'model reads': 'dim',
} as const satisfies Record<string, Color>

export type CallLabel = keyof typeof labels

export interface TranscriptOptions {
  readonly write: (text: string) => void
  readonly isColored: boolean
  /** Where previews are cut. What a person decides on is never cut: it wraps. */
  readonly columns: number
}

export interface Transcript {
  /** A row of the head or the summary. An empty label continues the row above. */
  row(label: string, text: string): void
  gap(): void
  says(text: string): void
  /** The line that opens a call; later lines of the same call stand under it. */
  call(callId: string, tool: string, input: unknown): void
  detail(callId: string, label: CallLabel, text: string): void
}

export function createTranscript({ write, isColored, columns }: TranscriptOptions): Transcript {
  const calls = new Map<string, string>()
  let current: string | undefined

  const paint = (text: string, color: Color) => (isColored ? `\x1b[${colors[color]}m${text}\x1b[0m` : text)
  const line = (start: string, label: string, color: Color, text: string) => {
    write(`${start}${paint(label.padEnd(labelWidth), color)}${text}`.trimEnd() + '\n')
  }
  const preview = (text: string) => cut(text, Math.max(40, columns - indent.length - labelWidth))

  return {
    row: (label, text) => line('', label, 'bold', harmless(text)),
    gap: () => write('\n'),
    says(text) {
      current = undefined
      write('\n')
      line('', 'model', 'bold', harmless(text))
    },
    call(callId, tool, input) {
      if (calls.has(callId)) return
      const title = `${String(calls.size + 1).padStart(2)}  ${tool}`
      calls.set(callId, title)
      current = callId
      line('', title.padEnd(indent.length + labelWidth - 1), 'bold', ` ${harmless(describe(input))}`)
    },
    detail(callId, label, text) {
      // Calls of one turn run side by side; a line says again whose it is when it is not obvious.
      if (current !== callId) line('', calls.get(callId) ?? callId, 'bold', '')
      current = callId
      const isPreview = labels[label] === 'dim'
      line(indent, label, labels[label], isPreview ? preview(harmless(text)) : harmless(text))
    },
  }
}

/** The input of a call in one line: `path: README.md, lines: 500`. */
function describe(input: unknown): string {
  if (typeof input !== 'object' || input === null) return String(input)
  return Object.entries(input)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
}

/** One line, with nothing in it that a terminal would obey. */
function harmless(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trimEnd()
}

function cut(text: string, room: number): string {
  const characters = [...text]
  return characters.length <= room ? text : `${characters.slice(0, room - 1).join('')}…`
}
