// What the gate and the model did, as lines of the transcript. It stands apart so that `agent.ts`
// shows the wiring alone. It only reads: events of the gate, its explanations, the stream.

import { sep } from 'node:path'
import type { TextStreamPart, ToolSet } from 'ai'
import type { Explanation, Hidden, ToolgateEvents } from 'toolgate'
import type { Transcript } from './transcript.ts'

/** The model did not answer, or not in a way that can be used. */
export class ModelError extends Error {}

type Explain = (tool: string, input: unknown) => Explanation

export function createReport(transcript: Transcript) {
  const counts = { ran: 0, yes: 0, no: 0, denied: 0, invalid: 0, failed: 0, requests: 0, bytes: 0 }
  /** Calls that a rule or a person stopped, that did not fit their schema, that a person was asked about. */
  const stopped = new Set<string>()
  const invalidCalls = new Set<string>()
  const asked = new Set<string>()
  const explanations = new Map<string, Explanation>()
  let tokens = ''

  return {
    /** How the candidates became the tools that the model is offered. */
    funnel(candidates: readonly string[], offered: readonly string[], hidden: readonly Hidden[]) {
      const absent = candidates.length - offered.length - hidden.length
      transcript.row('tools', `${candidates.length} candidates`)
      if (absent > 0) transcript.row('', `- ${absent} absent: not in the toolset of this tenant`)
      for (const { name, layer, reason } of hidden) {
        transcript.row('', `- 1 ${layer === 'offer' ? 'not offered' : 'hidden'}: ${name}, ${brief(reason)}`)
      }
      transcript.row('', `= ${offered.length} offered: ${offered.join(', ')}`)
    },

    question({ callId, tool, question }: ToolgateEvents['question-asked']) {
      asked.add(callId)
      transcript.call(callId, tool, question.input)
      transcript.detail(callId, 'asked', brief(question.reason))
    },

    answer({ callId, decision, message }: ToolgateEvents['question-answered']) {
      const isYes = decision === 'once' || decision === 'always' || decision === 'edit'
      counts[isYes ? 'yes' : 'no'] += 1
      if (!isYes) stopped.add(callId)
      transcript.detail(callId, 'answer', message === undefined ? decision : `${decision}: ${message}`)
    },

    /** Reads the stream of the AI SDK to its end. */
    async run<TOOLS extends ToolSet>(stream: AsyncIterable<TextStreamPart<TOOLS>>, explain: Explain) {
      let text = ''
      for await (const part of stream) {
        switch (part.type) {
          case 'text-delta':
            text += part.text
            break
          case 'text-end':
            if (text.trim() !== '') transcript.says(text)
            text = ''
            break
          case 'tool-call':
            transcript.call(part.toolCallId, part.toolName, part.input)
            if (part.invalid === true) invalid(part.toolCallId, part.error)
            else decided(part.toolCallId, explain(part.toolName, part.input))
            break
          case 'tool-result':
            returned(part.toolCallId, part.output)
            break
          case 'tool-error':
            failed(part.toolCallId, messageOf(part.error))
            break
          case 'tool-output-denied':
            failed(part.toolCallId, explanations.get(part.toolCallId)?.safe ?? 'refused')
            break
          case 'abort':
            throw new ModelError('the run was stopped')
          case 'error':
            throw new ModelError(`the model did not answer: ${messageOf(part.error)}`)
          case 'finish':
            tokens = tokensOf(part.totalUsage)
            break
          default: // The rest is nothing that a person needs to see.
        }
      }
    },

    summary(notes: string) {
      transcript.gap()
      transcript.row('ran', `${counts.ran} calls`)
      transcript.row('asked', `${counts.yes + counts.no}: ${counts.yes} yes, ${counts.no} no`)
      transcript.row('refused', `${counts.denied} by a rule, ${counts.invalid} for their input`)
      if (counts.failed > 0) transcript.row('failed', `${counts.failed} in the tool itself`)
      transcript.row('sent', `${counts.bytes.toLocaleString('en')} bytes in ${counts.requests} requests${tokens}`)
      transcript.row('notes', notes)
    },

    /** `fetch` for the provider, which counts what goes out. */
    countingFetch(input: Parameters<typeof fetch>[0], init?: RequestInit): Promise<Response> {
      counts.requests += 1
      if (typeof init?.body === 'string') counts.bytes += Buffer.byteLength(init.body)
      return fetch(input, init)
    },
  }

  function decided(callId: string, explanation: Explanation) {
    explanations.set(callId, explanation)
    switch (explanation.action) {
      case 'allow':
        return transcript.detail(callId, 'allowed', brief(explanation.text))
      case 'deny':
        counts.denied += 1
        stopped.add(callId)
        return transcript.detail(callId, 'refused', brief(explanation.text))
      case 'ask':
        return // The question says it.
    }
  }

  function invalid(callId: string, error: unknown) {
    counts.invalid += 1
    invalidCalls.add(callId)
    transcript.detail(callId, 'invalid', messageOf(rootOf(error)))
  }

  function returned(callId: string, output: unknown) {
    counts.ran += 1
    const wasAsked = asked.has(callId) || explanations.get(callId)?.action !== 'ask'
    if (!wasAsked) transcript.detail(callId, 'allowed', 'you answered `a` before')
    const text = typeof output === 'string' ? output : JSON.stringify(output)
    transcript.detail(callId, 'returned', `${Buffer.byteLength(text).toLocaleString('en')} bytes: ${text}`)
  }

  function failed(callId: string, message: string) {
    if (invalidCalls.has(callId)) return // Said where the call was read.
    const label = stopped.has(callId) ? 'model reads' : 'failed'
    if (label === 'failed') counts.failed += 1
    transcript.detail(callId, label, message)
  }
}

/** A reason names the file of the rule in full; the folder that the person is in goes without saying. */
function brief(reason: string): string {
  return reason.replaceAll(`${process.cwd()}${sep}`, '')
}

function tokensOf(usage: { inputTokens: number | undefined; outputTokens: number | undefined }): string {
  const { inputTokens, outputTokens } = usage
  return inputTokens === undefined ? '' : `, ${inputTokens} tokens; ${outputTokens ?? '?'} came back`
}

/** What the gate said, without the frames that the SDK puts around it. */
function rootOf(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? rootOf(error.cause) : error
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
