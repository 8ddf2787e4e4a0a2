// A store for scripts and tests: it forgets at exit. It stands apart because it is the reference
// for the others: every method does its work in one go between two turns of the event loop, so a
// commit is one step without any locking.
//
// There is no lease. A process that dies takes the records along, so a run can never outlast its
// runner's death; a lease could only give up on a tool that is slow.

import type { ListedRecord, Retention, Store, StoredRecord, StreamEvent, Write, Written } from './store.ts'

interface Entry {
  record: string
  version: number
  index: readonly string[]
  retention: Retention | null
}

interface Stream {
  last: number
  events: { readonly number: number; readonly event: string; readonly atMs: number }[]
}

/** Records that nobody asks for are looked through this often. */
const sweepEveryMs = 60_000
/** Events are told again for a day, and never more than this many of one stream. */
const eventsMs = 24 * 60 * 60 * 1000
const maxEvents = 1_000

/** Options of {@link memoryStore}. */
export interface MemoryStoreOptions {
  /** The time in milliseconds; `Date.now` when absent. */
  readonly clock?: () => number
}

/** A store in the memory of this process. Results are kept a day, the fact that a call ran 30 days. */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  return new MemoryStore(options.clock ?? Date.now)
}

class MemoryStore implements Store {
  readonly leaseMs = null
  readonly #clock: () => number
  readonly #entries = new Map<string, Entry>()
  readonly #lists = new Map<string, Set<string>>()
  readonly #streams = new Map<string, Stream>()
  // Never used twice, so that a record that was deleted and made again is no old acquaintance.
  #version = 0
  #sweepAtMs = 0

  constructor(clock: () => number) {
    this.#clock = clock
  }

  async read(key: string): Promise<StoredRecord> {
    const nowMs = this.#clock()
    const entry = this.#age(key, nowMs)
    return { record: entry?.record ?? null, version: entry?.version ?? 0, nowMs }
  }

  async commit(write: Write): Promise<Written> {
    const nowMs = this.#clock()
    const before = this.#age(write.key, nowMs)
    if ((before?.version ?? 0) !== write.version) return 'conflict'
    if (write.notAfterMs !== null && nowMs >= write.notAfterMs) return 'late'
    this.#version += 1
    this.#unlist(write.key, before)
    const { key, record, index, retention } = write
    this.#entries.set(key, { record, version: this.#version, index, retention })
    for (const list of index) this.#listNamed(list).add(key)
    this.#tell(write.stream, write.event, nowMs)
    this.#sweep(nowMs)
    return 'committed'
  }

  async list(list: string, page: { after?: number; limit?: number } = {}): Promise<ListedRecord[]> {
    const { after = 0, limit = 100 } = page
    const nowMs = this.#clock()
    const found: ListedRecord[] = []
    // A set keeps the order of insertion, and every commit inserts its record anew.
    for (const key of this.#lists.get(list) ?? []) {
      const entry = this.#age(key, nowMs)
      if (entry === undefined || entry.version <= after) continue
      if (found.length === limit) break
      found.push({ key, record: entry.record, version: entry.version })
    }
    return found
  }

  async events(stream: string, after: number): Promise<StreamEvent[]> {
    const { last, events } = this.#streams.get(stream) ?? { last: 0, events: [] }
    const isKnown = after <= last
    return events.filter(({ number }) => !isKnown || number > after).map(({ number, event }) => ({ number, event }))
  }

  /** The record as it is at `nowMs`: shrunk or gone when its time has come. */
  #age(key: string, nowMs: number): Entry | undefined {
    const entry = this.#entries.get(key)
    const retention = entry?.retention
    if (entry === undefined || retention === null || retention === undefined) return entry
    if (nowMs >= retention.deleteAtMs) {
      this.#entries.delete(key)
      this.#unlist(key, entry)
      return undefined
    }
    // The version stays: a tombstone is the same state with less of it kept.
    if (nowMs >= retention.shrinkAtMs) entry.record = retention.tombstone
    return entry
  }

  #listNamed(list: string): Set<string> {
    const keys = this.#lists.get(list) ?? new Set()
    this.#lists.set(list, keys)
    return keys
  }

  #unlist(key: string, entry: Entry | undefined): void {
    for (const list of entry?.index ?? []) {
      const keys = this.#lists.get(list)
      keys?.delete(key)
      if (keys?.size === 0) this.#lists.delete(list)
    }
  }

  #tell(name: string, event: string, atMs: number): void {
    const stream = this.#streams.get(name) ?? { last: 0, events: [] }
    this.#streams.set(name, stream)
    stream.last += 1
    stream.events.push({ number: stream.last, event, atMs })
    if (stream.events.length > maxEvents) stream.events.shift()
  }

  #sweep(nowMs: number): void {
    if (nowMs < this.#sweepAtMs) return
    this.#sweepAtMs = nowMs + sweepEveryMs
    for (const key of this.#entries.keys()) this.#age(key, nowMs)
    for (const [name, stream] of this.#streams) {
      stream.events = stream.events.filter(({ atMs }) => nowMs - atMs < eventsMs)
      if (stream.events.length === 0) this.#streams.delete(name)
    }
  }
}
