// Ends a call with a refusal: tells the listeners, and makes the error that the AI SDK shows to
// the model. It stands apart because every step of a call may end there.

import { eventOf, type Call } from './call.ts'
import { refuse, type Refusal } from './envelope.ts'
import { RefusalError } from './errors.ts'
import type { Refused } from './ledger-step.ts'

/** Tells that the call was refused and gives the error to throw. */
export function refused(call: Call, refusal: Refusal, reason?: string): RefusalError {
  const { code, message } = refusal.error
  call.gate.events.emit('call-refused', { ...eventOf(call), code, message, reason })
  return new RefusalError(refusal)
}

/** What the ledger refuses, as a value. */
export function refusedBy({ code, message, help, retryable }: Refused): Refusal {
  return refuse(code, message, { help, retryable })
}
