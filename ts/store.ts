// What the ledger needs of a place to keep records. It stands apart because this is the whole
// contract: SQLite, Redis and Postgres implement it, and none of them has to understand a record.
//
// A store keeps texts. What they mean, when they move and where they are listed is decided by the
// core; a store promises three things: a commit happens as one step or not at all, only the first
// of two commits upon the same version happens, and a commit that was acknowledged is still there
// after a crash (as far as the store itself is).
//
// Names (`key`, lists, streams) are opaque. All names of one tenant share what stands before the
// first dot, so a store that spreads its keys over machines can keep a tenant on one of them.

/** A record as it was read. */
export interface StoredRecord {
  /** The text of the record; `null` when there is none. */
  readonly record: string | null
  /** To be handed back with the commit; 0 when there is no record. */
  readonly version: number
  /** The time of the store's own clock. Every deadline is compared with this clock and no other. */
  readonly nowMs: number
}

/** How a record that nobody touches any more shrinks and goes. */
export interface Retention {
  /** From this time on `tombstone` takes the place of the record. */
  readonly shrinkAtMs: number
  readonly tombstone: string
  /** From this time on there is no record. */
  readonly deleteAtMs: number
}

/** One step of one record, with everything that has to be written together with it. */
export interface Write {
  readonly key: string
  /** The version that was read. The commit happens only if it is still that one. */
  readonly version: number
  readonly record: string
  /** The commit happens only before this time of the store's clock. */
  readonly notAfterMs: number | null
  /** The lists that the record stands in from now on; it leaves all others. */
  readonly index: readonly string[]
  /** The stream that is told, and what it is told. Numbers of a stream rise without gaps. */
  readonly stream: string
  readonly event: string
  /** `null` keeps the record until another commit says otherwise. */
  readonly retention: Retention | null
}

/** What became of a commit. An exception means that nobody knows. */
export type Written = 'committed' | 'conflict' | 'late'

/** A record in a list. */
export interface ListedRecord {
  readonly key: string
  readonly record: string
  readonly version: number
}

/** One thing that happened to a record of a stream. */
export interface StreamEvent {
  readonly number: number
  readonly event: string
}

/** Where records are kept. Every method may reject; the ledger then refuses what has not run yet. */
export interface Store {
  /**
   * How long a runner may be silent before it counts as gone. `null` when a runner cannot outlive
   * the store, so that a lease would only end runs that are still going.
   */
  readonly leaseMs: number | null
  read(key: string): Promise<StoredRecord>
  commit(write: Write): Promise<Written>
  /** The records of a list in the order of their last commit, from the version `after` on. */
  list(list: string, page?: { after?: number; limit?: number }): Promise<ListedRecord[]>
  /**
   * What happened in a stream after the number `after`, oldest first. A number that the stream has
   * not reached is from before it was forgotten: everything is told.
   */
  events(stream: string, after: number): Promise<StreamEvent[]>
}
