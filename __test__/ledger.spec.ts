import { describe, expect, it } from 'vitest'

import type { Question, Verdict } from '../ts/ledger-question.ts'
import type { Run } from '../ts/ledger-run.ts'
import type { Answer, CallParts } from '../ts/ledger-step.ts'
import { openLedger, type Ledger } from '../ts/ledger.ts'
import { memoryStore } from '../ts/memory-store.ts'
import { callKey, canonicalHash, transition } from '../ts/native.ts'
import type { Store } from '../ts/store.ts'
import { FaultStore, type Fault } from './fault-store.ts'

const input = '{"amount":100}'
const inputHash = canonicalHash(input) ?? ''
const what = { inputHash, toolHash: 'tool' }
const byRule: Verdict = { type: 'approved-by-rule', rule: 'refund: allow' }
const envelope = '{"ok":true,"output":1,"meta":{}}'

function call(callId = 'call_0', session = 's'): CallParts {
  return {
    key: callKey(JSON.stringify(['acme', session, 'u', 'refund', callId])),
    tenant: 'acme',
    session,
    turn: 'u',
    tool: 'refund',
    callId,
    principal: 'ann',
    effect: 'external-write',
    toolHash: 'tool',
    inputHash,
    input,
  }
}

function asks(id = 'q1', expiresInMs = 60_000): Verdict & { question: Question } {
  return { type: 'needs-approval', question: { id, reason: 'a person decides', rule: null, expiresInMs } }
}

function answer(decision: Answer['decision'], more: Partial<Answer> = {}): Answer {
  return { decision, inputHash, by: 'bob', via: 'inbox', ...more }
}

function ledgerOver(store: Store = memoryStore(), waitMs = 50): Ledger {
  return openLedger({ store, transition, waitMs })
}

async function claimed(ledger: Ledger, key: string): Promise<Run> {
  const claim = await ledger.claim(key, what)
  if (claim.type !== 'claimed') throw new Error(`not claimed: ${JSON.stringify(claim)}`)
  return claim.run
}

/** A run of a fresh call that a rule allows. */
async function running(ledger: Ledger, parts = call()): Promise<Run> {
  await ledger.propose(parts, byRule)
  return claimed(ledger, parts.key)
}

describe('a call', () => {
  it('is asked about, approved, claimed, settled, and replayed from then on', async () => {
    const ledger = ledgerOver()
    const { key } = call()
    expect(await ledger.propose(call(), asks())).toMatchObject({ type: 'awaiting-approval', question: { id: 'q1' }, inputHash })
    expect(await ledger.claim(key, what)).toMatchObject({ code: 'APPROVAL_REQUIRED' })
    expect(await ledger.decide(key, answer('approve'))).toMatchObject({ state: 'approved', isRepeated: false })
    const run = await claimed(ledger, key)
    expect(run).toMatchObject({ fence: 1, attempt: 1, inputHash, editedInput: null })
    expect(await run.settle({ type: 'succeeded', envelope })).toMatchObject({ recorded: true })
    expect(await ledger.propose(call(), asks('q2'))).toEqual({ type: 'replay', state: 'succeeded', envelope })
    expect(await ledger.claim(key, what)).toEqual({ type: 'replay', state: 'succeeded', envelope })
    expect(await ledger.decide(key, answer('approve'))).toMatchObject({ state: 'succeeded', isRepeated: true })
  })

  it('that a person rejected never runs', async () => {
    const ledger = ledgerOver()
    await ledger.propose(call(), asks())
    await ledger.decide(call().key, answer('reject', { message: 'too much' }))
    expect(await ledger.claim(call().key, what)).toMatchObject({ code: 'APPROVAL_REJECTED', message: expect.stringMatching(/too much/) })
    expect(await ledger.decide(call().key, answer('approve'))).toMatchObject({ code: 'CONFLICT' })
  })

  it('runs with the input that a person made of it', async () => {
    const ledger = ledgerOver()
    const edited = '{"amount":50}'
    const editedHash = canonicalHash(edited) ?? ''
    await ledger.propose(call(), asks())
    const editedInput = { input: edited, inputHash: editedHash, effect: 'external-write' } as const
    await ledger.decide(call().key, answer('approve', { editedInput }))
    expect(await ledger.claim(call().key, what)).toMatchObject({ code: 'CONFLICT' })
    expect(await ledger.claim(call().key, { ...what, inputHash: editedHash })).toMatchObject({
      type: 'claimed',
      run: { editedInput: edited },
    })
  })

  it('is refused when it is not what it was', async () => {
    const ledger = ledgerOver()
    await ledger.propose(call(), byRule)
    expect(await ledger.claim(call().key, { ...what, toolHash: 'other' })).toMatchObject({ code: 'CONFLICT' })
    expect(await ledger.propose({ ...call(), toolHash: 'other' }, byRule)).toMatchObject({ code: 'CONFLICT' })
    expect(await ledger.propose({ ...call(), input: '{}' }, byRule)).toMatchObject({ code: 'INTERNAL' })
    expect(await ledger.propose({ ...call(), session: 'x' }, byRule)).toMatchObject({ code: 'INTERNAL' })
  })

  it('is listed while a person has to look', async () => {
    const store = memoryStore()
    const ledger = ledgerOver(store)
    await ledger.propose(call(), asks())
    const open = `${call().key.split('.')[0]}.awaiting_approval`
    expect((await store.list(open)).map(({ key }) => key)).toEqual([call().key])
    await ledger.decide(call().key, answer('cancel'))
    expect(await store.list(open)).toEqual([])
  })

  it('expires by the clock of the store', async () => {
    let nowMs = 0
    const ledger = ledgerOver(memoryStore({ clock: () => nowMs }))
    await ledger.propose(call(), asks('q1', 1_000))
    nowMs = 1_000
    expect(await ledger.decide(call().key, answer('approve'))).toMatchObject({ code: 'APPROVAL_EXPIRED' })
    expect(await ledger.propose(call(), asks())).toMatchObject({ code: 'APPROVAL_EXPIRED', retryable: true })
  })

  it('whose outcome is unknown waits for a person, who may have it run again once', async () => {
    const ledger = ledgerOver()
    const { key } = call()
    const first = await running(ledger)
    await first.settle({ type: 'unknown', message: 'timed out' })
    expect(await ledger.propose(call(), byRule)).toMatchObject({ code: 'OUTCOME_UNKNOWN', retryable: false })
    expect(await ledger.claim(key, what)).toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    const again = { type: 'retry', question: asks('q2').question } as const
    expect(await ledger.resolve(key, again, 'bob')).toMatchObject({ type: 'awaiting-approval', question: { id: 'q2' } })
    expect(await ledger.decide(key, answer('approve'))).toMatchObject({ code: 'CONFLICT' })
    await ledger.decide(key, answer('approve', { questionId: 'q2' }))
    const second = await claimed(ledger, key)
    expect(second).toMatchObject({ fence: 2, attempt: 2 })
    expect(await first.settle({ type: 'succeeded', envelope })).toMatchObject({ recorded: false })
    expect(await second.settle({ type: 'succeeded', envelope })).toMatchObject({ recorded: true })
  })
})

describe('many at once', () => {
  it('one claim of fifty wins', async () => {
    const store = memoryStore()
    // Five ledgers stand for five processes.
    const ledgers = Array.from({ length: 5 }, () => ledgerOver(store, 0))
    await Promise.all(ledgers.map((ledger) => ledger.propose(call(), byRule)))
    const claims = await Promise.all(
      Array.from({ length: 50 }, async (_, n) => ledgers[n % 5]?.claim(call().key, what)),
    )
    expect(claims.filter((claim) => claim?.type === 'claimed')).toHaveLength(1)
    expect(claims.filter((claim) => claim?.type === 'refused' && claim.code === 'CALL_IN_PROGRESS')).toHaveLength(49)
  })

  it('every duplicate reads the same envelope when the run it met is done', async () => {
    const ledger = ledgerOver(memoryStore(), 10_000)
    const run = await running(ledger)
    const duplicates = Promise.all([ledger.propose(call(), byRule), ledger.claim(call().key, what)])
    await run.settle({ type: 'succeeded', envelope })
    const replay = { type: 'replay', state: 'succeeded', envelope }
    expect(await duplicates).toEqual([replay, replay])
  })

  it('a duplicate stops waiting when its time is up or it is aborted', async () => {
    const ledger = ledgerOver(memoryStore(), 20)
    await running(ledger)
    expect(await ledger.propose(call(), byRule)).toMatchObject({ code: 'CALL_IN_PROGRESS', retryable: true })
    const abort = new AbortController()
    const waiting = ledger.claim(call().key, what, { signal: abort.signal, timeoutMs: 60_000 })
    abort.abort()
    expect(await waiting).toMatchObject({ code: 'CALL_IN_PROGRESS' })
  })

  it('a decision wakes who waits for it, before, during and after', async () => {
    const ledger = ledgerOver()
    await ledger.propose(call(), asks())
    const during = ledger.waitFor(call().key)
    await ledger.decide(call().key, answer('approve'))
    expect(await during).toMatchObject({ type: 'approved' })
    expect(await ledger.waitFor(call().key)).toMatchObject({ type: 'approved' })
    expect(await ledger.waitFor('nobody')).toEqual({ type: 'absent' })
  })

  it('another process is heard of without a bell', async () => {
    const store = memoryStore()
    const [one, other] = [ledgerOver(store), ledgerOver(store)]
    await one.propose(call(), asks())
    const waiting = one.waitFor(call().key, { timeoutMs: 5_000 })
    await other.decide(call().key, answer('reject'))
    expect(await waiting).toMatchObject({ code: 'APPROVAL_REJECTED' })
  })
})

describe('a store that fails', () => {
  function faulty(leaseMs: number | null = null): { ledger: Ledger; store: FaultStore } {
    const store = new FaultStore(memoryStore(), leaseMs)
    return { ledger: ledgerOver(store, 0), store }
  }

  it.each<Fault[][]>([[['before']], [['after']], [['after', 'before']], [['before', 'after']]])(
    'once or twice during a claim (%j) costs nothing, and the claim is held once',
    async (faults) => {
      const { ledger, store } = faulty()
      await ledger.propose(call(), byRule)
      store.commits.push(...faults)
      const run = await claimed(ledger, call().key)
      expect(run.fence).toBe(1)
      expect(await ledger.claim(call().key, what)).toMatchObject({ code: 'CALL_IN_PROGRESS' })
    },
  )

  it('for good before the claim means that nothing runs', async () => {
    const { ledger, store } = faulty()
    await ledger.propose(call(), byRule)
    store.commits.push('before', 'before', 'before')
    expect(await ledger.claim(call().key, what)).toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true })
    // Nothing was spent: the approval is still there.
    expect(await claimed(ledger, call().key)).toMatchObject({ fence: 1 })
  })

  it('to answer, for good, after the claim was written: nobody runs, and a person has to look', async () => {
    let nowMs = 0
    const store = new FaultStore(memoryStore({ clock: () => nowMs }), 30_000)
    const ledger = ledgerOver(store, 0)
    await ledger.propose(call(), byRule)
    store.commits.push('after')
    store.reads.push('none', 'before', 'before')
    expect(await ledger.claim(call().key, what)).toMatchObject({ code: 'STORE_UNAVAILABLE' })
    nowMs = 30_000
    expect(await ledger.claim(call().key, what)).toMatchObject({ code: 'OUTCOME_UNKNOWN' })
  })

  it.each<Fault[][]>([[['before']], [['after']]])('during a proposal or a decision (%j) does it once', async (faults) => {
    const { ledger, store } = faulty()
    store.commits.push(...faults)
    expect(await ledger.propose(call(), asks())).toMatchObject({ type: 'awaiting-approval' })
    store.commits.push(...faults)
    expect(await ledger.decide(call().key, answer('approve'))).toMatchObject({ state: 'approved' })
    expect(await store.events(await streamOf(store), 0)).toHaveLength(2)
  })

  it('during the settlement does not cost the result', async () => {
    const { ledger, store } = faulty()
    const run = await running(ledger)
    store.commits.push('after')
    expect(await run.settle({ type: 'succeeded', envelope })).toMatchObject({ recorded: true })
  })

  it('for good during the settlement: the result stands unrecorded and is offered again', async () => {
    const { ledger, store } = faulty()
    const run = await running(ledger)
    store.commits.push('before', 'before', 'before')
    expect(await run.settle({ type: 'succeeded', envelope })).toMatchObject({
      recorded: false,
      outcome: { code: 'STORE_UNAVAILABLE' },
    })
    expect(await ledger.waitFor(call().key, { timeoutMs: 10_000 })).toEqual({ type: 'replay', state: 'succeeded', envelope })
  })

  it('by handing out a record of another call, or none that can be read, runs nothing', async () => {
    const store = memoryStore()
    const ledger = ledgerOver(store)
    await ledger.propose(call(), byRule)
    const { record } = await store.read(call().key)
    const put = { version: 0, notAfterMs: null, index: [], stream: 's', event: '', retention: null }
    await store.commit({ ...put, key: call('other').key, record: record ?? '' })
    expect(await ledger.propose(call('other'), byRule)).toMatchObject({ code: 'INTERNAL' })
    await store.commit({ ...put, key: call('torn').key, record: (record ?? '').slice(0, 40) })
    expect(await ledger.propose(call('torn'), byRule)).toMatchObject({ code: 'INTERNAL' })
    expect(await ledger.claim(call('torn').key, what)).toMatchObject({ code: 'INTERNAL' })
  })

  async function streamOf(store: Store): Promise<string> {
    const { record, nowMs } = await store.read(call().key)
    const step = transition(record, JSON.stringify({ type: 'deny', message: '', nowMs }))
    return step.commit?.stream ?? ''
  }
})

describe('a lease', () => {
  it('is kept while the tool runs, and its end makes the outcome unknown', async () => {
    const leaseMs = 90
    const ledger = ledgerOver(new FaultStore(memoryStore(), leaseMs), 0)
    const run = await running(ledger)
    // Longer than the lease: what keeps it is the renewal.
    expect(await ledger.waitFor(call().key, { timeoutMs: 3 * leaseMs })).toMatchObject({ code: 'CALL_IN_PROGRESS' })
    expect(run.lost.aborted).toBe(false)
    expect(await run.settle({ type: 'succeeded', envelope })).toMatchObject({ recorded: true, outcome: { isLate: false } })
  })

  it('that ran out tells its runner, whose late result still counts', async () => {
    let skewMs = 0
    const store = new FaultStore(memoryStore({ clock: () => Date.now() + skewMs }), 90)
    const ledger = ledgerOver(store, 0)
    const run = await running(ledger)
    const lost = new Promise<void>((resolve) => {
      run.lost.addEventListener('abort', () => resolve(), { once: true })
    })
    skewMs = 60_000
    await lost
    expect(await ledger.read(call().key)).toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    expect(await run.settle({ type: 'succeeded', envelope })).toMatchObject({ recorded: true, outcome: { isLate: true } })
  })

  it('is not needed where the runner dies with the store', async () => {
    let nowMs = 0
    const ledger = ledgerOver(memoryStore({ clock: () => nowMs }), 0)
    const run = await running(ledger)
    nowMs = 365 * 24 * 60 * 60 * 1000
    expect(await ledger.propose(call(), byRule)).toMatchObject({ code: 'CALL_IN_PROGRESS' })
    expect(await run.settle({ type: 'failed', envelope })).toMatchObject({ recorded: true, outcome: { state: 'failed' } })
  })
})

describe('any history', () => {
  it('with faults at random runs each call at most once', async () => {
    let seed = 42
    const random = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return Math.floor((seed / 2_147_483_648) * below)
    }
    const store = new FaultStore(memoryStore())
    const ledgers = [ledgerOver(store, 0), ledgerOver(store, 0), ledgerOver(store, 0)]
    const runs = new Map<string, number>()
    const faults = ['before', 'after', 'none', 'none', 'none', 'none'] as const
    const visit = async (ledger: Ledger, parts: CallParts): Promise<void> => {
      store.commits.push(faults[random(faults.length)] ?? 'none')
      store.reads.push(faults[random(faults.length)] ?? 'none')
      await ledger.propose(parts, byRule)
      const claim = await ledger.claim(parts.key, what)
      if (claim.type !== 'claimed') return
      runs.set(parts.key, (runs.get(parts.key) ?? 0) + 1)
      await claim.run.settle({ type: 'succeeded', envelope })
    }
    const visits = Array.from({ length: 300 }, (_, n) => visit(ledgers[n % 3] ?? ledgerOver(store), call(`c${n % 60}`)))
    await Promise.all(visits)
    expect([...runs.values()].filter((count) => count > 1)).toEqual([])
    expect(runs.size).toBeGreaterThan(40)
  })
})
