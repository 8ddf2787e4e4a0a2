// Writes an envelope into a record. It stands apart because a tool may return what JSON cannot say,
// and the record has to tell that from an output that is empty.

import { refuse, type Envelope } from './envelope.ts'

/** The envelope as text; an output that is not JSON is not kept, and the call still runs once. */
export function textOf(envelope: Envelope): string {
  try {
    return JSON.stringify(envelope)
  } catch {
    const message = 'this call ran before, and its output was not kept because it is not JSON; do not repeat it'
    return JSON.stringify(refuse('OUTCOME_UNKNOWN', message))
  }
}
