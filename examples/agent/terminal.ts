// The person at the terminal. Answers come from `--answers` first, then from the keyboard. Where
// there is neither, the answer is no: silence never runs anything.

import { createInterface } from 'node:readline/promises'
import type { Decision, Question } from 'toolgate'

export const howToAnswer = 'run it in a terminal, or with `npm start -- --answers y,a,n`'

export interface Terminal {
  /** Who answers, for the head of the transcript. */
  readonly about: string
  answer(question: Question, signal: AbortSignal): Promise<Decision>
}

/** `keyboard` is absent where nobody can type. */
export function openTerminal(answers: readonly string[], keyboard?: NodeJS.ReadStream): Terminal {
  const queue = [...answers]
  // One question at a time, also when the model makes several calls at once.
  let last: Promise<unknown> = Promise.resolve()
  return {
    about: aboutAnswers(answers, keyboard !== undefined),
    async answer(question, signal) {
      const given = queue.shift()
      if (given !== undefined) return decisionOf(given)
      if (keyboard === undefined) return { decision: 'reject', message: 'nobody is there to answer' }
      const typed = last.then(() => type(keyboard, question, signal))
      last = typed.catch(() => {})
      return decisionOf(await typed)
    },
  }
}

/** What an answer means. Only the exact words run anything. */
export function decisionOf(answer: string): Decision {
  const text = answer.trim()
  switch (text.toLowerCase()) {
    case 'y':
      return { decision: 'once' }
    case 'a':
      return { decision: 'always' }
    case '':
    case 'n':
      return { decision: 'reject' }
    default:
      return { decision: 'reject', message: text }
  }
}

async function type(keyboard: NodeJS.ReadStream, question: Question, signal: AbortSignal): Promise<string> {
  const reader = createInterface({ input: keyboard, output: process.stdout })
  // While it reads, the terminal gives it Ctrl-C; the rest of the program has to hear of it too.
  reader.once('SIGINT', () => process.emit('SIGINT'))
  // Ctrl-D: no answer will come, and the cursor still stands behind the question.
  const closed = new Promise<string>((end) => reader.once('close', () => end('n\n')))
  const always = question.mayAlways ? ' · a always, this session' : ''
  const prompt = `    ${question.tool}? y once${always} · n no · or say why not: `
  try {
    const typed = await Promise.race([reader.question(prompt, { signal }), closed])
    if (typed.endsWith('\n')) process.stdout.write('\n')
    return typed
  } finally {
    reader.close()
  }
}

function aboutAnswers(answers: readonly string[], hasKeyboard: boolean): string {
  if (answers.length > 0) return `given with --answers: ${answers.join(', ')}`
  return hasKeyboard ? 'asked at this terminal' : `nobody is there, so every answer is no; ${howToAnswer}`
}
