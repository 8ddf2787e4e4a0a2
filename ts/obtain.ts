// Obtains the right to run a call, once. It stands apart because every way to it ends in the same
// claim: an allow rule that names the tool, a remembered "always", a person at the `ask` callback,
// or an answer that came back through the messages of the AI SDK.

import { cannotAsk, explainCall } from './admit.ts'
import { answerFor } from './approval-messages.ts'
import { askFirst, saying } from './ask-first.ts'
import { isRemembered } from './ask-memory.ts'
import type { Call } from './call.ts'
import { refuse, type Refusal } from './envelope.ts'
import { RefusalError } from './errors.ts'
import type { FiledCall } from './file-call.ts'
import type { Run } from './ledger-run.ts'
import type { Outcome } from './ledger-step.ts'
import type { Verdict } from './ledger-question.ts'
import type { Claim, Ledger } from './ledger.ts'
import { parseInput } from './native.ts'
import { aborted } from './rejection.ts'
import { refusedBy } from './refused.ts'
import { withoutLedger } from './without-ledger.ts'

/** Why a call needs a record: a rule approved it, a person has to, or an answer came with it. */
export type Why = 'record' | 'ask' | 'answered'

/** What a caller obtained. */
export type Right =
  | {
      readonly step: 'run'
      /** The copy that was hashed, or what a person made of it. */
      readonly input: unknown
      /** Absent without a store, where nothing is recorded. */
      readonly run: Run | undefined
    }
  | { readonly step: 'replay'; readonly envelope: string }

/** Obtains the right to run the call, or its earlier result; throws the refusal. */
export async function obtain(
  call: Call,
  filed: FiledCall,
  why: Why,
  resources: readonly string[],
): Promise<Right> {
  const { ledger } = call.gate.core
  if (ledger === undefined) return withoutLedger(call, filed, why, resources)
  const standing = await allowed(call, filed, ledger, why, resources)
  return claim(call, filed, ledger, standing)
}

/** Brings the call to where it may be claimed, as far as anybody allows it. */
async function allowed(
  call: Call,
  filed: FiledCall,
  ledger: Ledger,
  why: Why,
  resources: readonly string[],
): Promise<Outcome> {
  const { gate, tool, abortSignal: signal } = call
  const { ask } = gate.core
  const propose = (verdict: Verdict): Promise<Outcome> => ledger.propose(filed.parts, verdict, { signal })
  if (why === 'record') {
    const { text } = explainCall(gate, tool, resources, filed.value)
    return answered(call, filed, ledger, await propose({ type: 'approved-by-rule', rule: text }))
  }
  if (why === 'ask' && isRemembered(gate, tool, resources, filed.value)) {
    return propose({ type: 'approved-by-grant', grant: 'session' })
  }
  if (why === 'ask' && ask !== undefined) return askFirst(call, filed, ledger, ask, resources)
  // Nothing is proposed here: a question that was never asked must not come to stand in the ledger
  // because somebody sent an answer to it.
  return answered(call, filed, ledger, await ledger.read(filed.parts.key))
}

/** Takes the answer that came with the messages, where the call waits for one. */
async function answered(call: Call, filed: FiledCall, ledger: Ledger, standing: Outcome): Promise<Outcome> {
  if (standing.type !== 'awaiting-approval') return standing
  const answer = answerFor(call.messages, call.callId)
  if (answer === undefined) return standing
  await ledger.decide(filed.parts.key, {
    decision: answer.isApproved ? 'approve' : 'reject',
    inputHash: filed.parts.inputHash,
    by: call.gate.who.principal ?? null,
    via: 'native',
    ...saying(answer.reason),
  })
  return ledger.read(filed.parts.key)
}

/** Spends the approval; whoever comes second finds what the first one left. */
async function claim(
  call: Call,
  filed: FiledCall,
  ledger: Ledger,
  standing: Outcome | Claim,
): Promise<Right> {
  const { key, toolHash } = filed.parts
  const claimNow = (inputHash: string): Promise<Claim> =>
    ledger.claim(key, { inputHash, toolHash }, { signal: call.abortSignal })
  switch (standing.type) {
    case 'approved':
      // Before the claim: what was claimed counts as run.
      if (call.abortSignal?.aborted === true) throw new RefusalError(aborted(call))
      return claim(call, filed, ledger, await claimNow(standing.inputHash))
    case 'claimed': {
      if (!('run' in standing)) throw new RefusalError(inNoState(call))
      const { editedInput: edited } = standing.run
      return { step: 'run', run: standing.run, input: edited === null ? filed.value : parseInput(edited) }
    }
    case 'replay':
    case 'suppressed':
      return { step: 'replay', envelope: standing.envelope }
    case 'awaiting-approval':
    case 'absent':
      throw new RefusalError(cannotAsk(call.gate, call.tool))
    case 'refused':
      throw new RefusalError(refusedBy(standing))
    case 'renewed':
    case 'decided':
    case 'settled':
    case 'resolved':
      throw new RefusalError(inNoState(call))
    default:
      return standing satisfies never
  }
}

function inNoState({ tool }: Call): Refusal {
  return refuse('INTERNAL', `\`${tool.name}\` did not run: its record is in no state to run from`)
}
