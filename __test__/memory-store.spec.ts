import { describe, expect, it } from 'vitest'

import { memoryStore } from '../ts/memory-store.ts'
import type { Retention, Store, Write } from '../ts/store.ts'

const day = 24 * 60 * 60 * 1000

function write(parts: Partial<Write> = {}): Write {
  return {
    key: 'k',
    version: 0,
    record: 'one',
    notAfterMs: null,
    index: ['list'],
    stream: 'stream',
    event: 'event',
    retention: null,
    ...parts,
  }
}

/** A store at a time that the test sets. */
function storeAt(nowMs: number): { store: Store; clock: { nowMs: number } } {
  const clock = { nowMs }
  return { store: memoryStore({ clock: () => clock.nowMs }), clock }
}

async function keys(store: Store, list: string): Promise<string[]> {
  return (await store.list(list)).map(({ key }) => key)
}

const retention: Retention = { shrinkAtMs: day, tombstone: 'stone', deleteAtMs: 30 * day }

describe('memoryStore', () => {
  it('has no record where none was written', async () => {
    const { store } = storeAt(7)
    expect(await store.read('k')).toEqual({ record: null, version: 0, nowMs: 7 })
  })

  it('commits upon the version that was read and upon no other', async () => {
    const { store } = storeAt(0)
    expect(await store.commit(write())).toBe('committed')
    expect(await store.commit(write({ record: 'two' }))).toBe('conflict')
    const { version } = await store.read('k')
    expect(await store.commit(write({ version, record: 'two' }))).toBe('committed')
    expect(await store.commit(write({ version, record: 'three' }))).toBe('conflict')
    expect(await store.read('k')).toMatchObject({ record: 'two' })
  })

  it('lets one of many win', async () => {
    const { store } = storeAt(0)
    const all = await Promise.all(Array.from({ length: 50 }, (_, n) => store.commit(write({ record: `${n}` }))))
    expect(all.filter((written) => written === 'committed')).toHaveLength(1)
  })

  it('writes nothing at or after the time that a commit names', async () => {
    const { store, clock } = storeAt(99)
    expect(await store.commit(write({ notAfterMs: 100 }))).toBe('committed')
    clock.nowMs = 100
    const { version } = await store.read('k')
    expect(await store.commit(write({ version, notAfterMs: 100, record: 'two' }))).toBe('late')
    expect(await store.read('k')).toMatchObject({ record: 'one', version })
    expect(await store.events('stream', 0)).toHaveLength(1)
  })

  it('lists records by their last commit and takes them out of lists that they left', async () => {
    const { store } = storeAt(0)
    await store.commit(write({ key: 'a', index: ['list', 'open'] }))
    await store.commit(write({ key: 'b', index: ['list', 'open'] }))
    const { version } = await store.read('a')
    await store.commit(write({ key: 'a', version, index: ['list'] }))
    expect(await keys(store, 'list')).toEqual(['b', 'a'])
    expect(await keys(store, 'open')).toEqual(['b'])
    expect(await keys(store, 'constructor')).toEqual([])
  })

  it('lists page by page', async () => {
    const { store } = storeAt(0)
    for (const key of ['a', 'b', 'c']) await store.commit(write({ key }))
    const first = await store.list('list', { limit: 2 })
    const rest = await store.list('list', { limit: 2, after: first.at(-1)?.version ?? 0 })
    expect([...first, ...rest].map(({ key }) => key)).toEqual(['a', 'b', 'c'])
  })

  it('numbers what happens in a stream without gaps', async () => {
    const { store } = storeAt(0)
    await store.commit(write({ key: 'a', event: 'one' }))
    await store.commit(write({ key: 'a', event: 'lost' }))
    await store.commit(write({ key: 'b', event: 'two' }))
    await store.commit(write({ key: 'c', event: 'other', stream: 'other' }))
    expect(await store.events('stream', 0)).toEqual([
      { number: 1, event: 'one' },
      { number: 2, event: 'two' },
    ])
    expect(await store.events('stream', 1)).toEqual([{ number: 2, event: 'two' }])
  })

  it('shrinks a record to its tombstone after a day and forgets it after thirty', async () => {
    const { store, clock } = storeAt(0)
    await store.commit(write({ retention }))
    clock.nowMs = day - 1
    expect(await store.read('k')).toMatchObject({ record: 'one' })
    clock.nowMs = day
    const shrunk = await store.read('k')
    expect(shrunk.record).toBe('stone')
    expect((await store.list('list'))[0]).toMatchObject({ record: 'stone' })
    clock.nowMs = 30 * day
    expect(await store.read('k')).toMatchObject({ record: null, version: 0 })
    expect(await store.list('list')).toEqual([])
    // Whoever read it before it went is too late.
    expect(await store.commit(write({ version: shrunk.version }))).toBe('conflict')
  })

  it('forgets what nobody asks for, and keeps what has no end', async () => {
    const { store, clock } = storeAt(0)
    await store.commit(write({ key: 'done', retention }))
    await store.commit(write({ key: 'unknown' }))
    clock.nowMs = 31 * day
    await store.commit(write({ key: 'other' }))
    expect(await keys(store, 'list')).toEqual(['unknown', 'other'])
    expect((await store.events('stream', 0)).map(({ number }) => number)).toEqual([3])
  })

  it('tells everything to a listener whose stream was forgotten meanwhile', async () => {
    const { store, clock } = storeAt(0)
    for (const key of ['a', 'b']) await store.commit(write({ key }))
    clock.nowMs = 2 * day
    await store.commit(write({ key: 'c', stream: 'other' }))
    await store.commit(write({ key: 'd', event: 'new' }))
    expect(await store.events('stream', 2)).toEqual([{ number: 1, event: 'new' }])
  })

  it('keeps a bounded number of events for a stream', async () => {
    const { store } = storeAt(0)
    for (let n = 0; n < 1_200; n += 1) await store.commit(write({ key: `${n}` }))
    const events = await store.events('stream', 0)
    expect(events).toHaveLength(1_000)
    expect(events.at(-1)?.number).toBe(1_200)
  })
})
