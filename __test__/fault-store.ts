// A store that fails on purpose, around one that works.

import type { ListedRecord, Store, StoredRecord, StreamEvent, Write, Written } from '../ts/store.ts'

/** What befalls one call of the store. */
export type Fault = 'none' | 'before' | 'after'

/** Fails before or after the work is done, as a script says; then works. */
export class FaultStore implements Store {
  leaseMs: number | null
  /** What befalls the next commits, in order. */
  readonly commits: Fault[] = []
  /** What befalls the next reads, in order. */
  readonly reads: Fault[] = []
  readonly #store: Store

  constructor(store: Store, leaseMs: number | null = null) {
    this.#store = store
    this.leaseMs = leaseMs
  }

  async read(key: string): Promise<StoredRecord> {
    return befall(this.reads.shift() ?? 'none', () => this.#store.read(key))
  }

  async commit(write: Write): Promise<Written> {
    return befall(this.commits.shift() ?? 'none', () => this.#store.commit(write))
  }

  list(list: string): Promise<ListedRecord[]> {
    return this.#store.list(list)
  }

  events(stream: string, after: number): Promise<StreamEvent[]> {
    return this.#store.events(stream, after)
  }
}

async function befall<ANSWER>(fault: Fault, work: () => Promise<ANSWER>): Promise<ANSWER> {
  if (fault === 'before') throw new Error('the store is away')
  const answer = await work()
  if (fault === 'after') throw new Error('the answer got lost')
  return answer
}
