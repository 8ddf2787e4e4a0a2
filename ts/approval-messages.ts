// Reads approvals out of the messages of the AI SDK. It stands apart because these messages come
// back from the browser: they say what a person is said to have answered, and whether that counts
// is decided by the record of the question, never here.

import { ownList, ownProperty, ownText } from './get-own.ts'

/** What a message says that a person answered. */
export interface ClaimedAnswer {
  readonly isApproved: boolean
  readonly reason: string | undefined
}

/** Whether a question about the call `callId` stands in `messages`: then this is its continuation. */
export function holdsRequest(messages: readonly unknown[], callId: string): boolean {
  return messages.some((message) =>
    assistantParts(message).some(
      (part) =>
        ownProperty(part, 'type') === 'tool-approval-request' && ownProperty(part, 'toolCallId') === callId,
    ),
  )
}

/**
 * What the last message answers about the call `callId`.
 *
 * Only the last message, and only the first answer in it, because that is what the AI SDK acts on:
 * an older answer has had its run.
 */
export function answerFor(messages: readonly unknown[], callId: string): ClaimedAnswer | undefined {
  const last = messages.at(-1)
  if (ownProperty(last, 'role') !== 'tool') return undefined
  // Most last messages are results and hold no answer; the search below is for those that do.
  const answers = ownList(last, 'content').filter(
    (part) => ownProperty(part, 'type') === 'tool-approval-response',
  )
  if (answers.length === 0) return undefined
  const asked = new Set(requestIds(messages, callId))
  const answer = answers.find((part) => asked.has(ownProperty(part, 'approvalId')))
  return answer === undefined
    ? undefined
    : { isApproved: ownProperty(answer, 'approved') === true, reason: ownText(answer, 'reason') }
}

function requestIds(messages: readonly unknown[], callId: string): unknown[] {
  return messages
    .flatMap(assistantParts)
    .filter((part) => ownProperty(part, 'type') === 'tool-approval-request' && ownProperty(part, 'toolCallId') === callId)
    .map((part) => ownProperty(part, 'approvalId'))
}

function assistantParts(message: unknown): readonly unknown[] {
  return ownProperty(message, 'role') === 'assistant' ? ownList(message, 'content') : []
}
