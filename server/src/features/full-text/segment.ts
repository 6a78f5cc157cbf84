import type { Selectable } from 'kysely'
import type { Schema } from '#platform/db/schema.ts'

export type SegmentRow = Selectable<Schema['knowledge_segments']>
export type StoredEntry = Selectable<Schema['knowledge_entries']>
export type RunRow = Selectable<Schema['knowledge_runs']>

/** Consecutive chunks of one document in a merged segment. */
export interface Run {
  readonly first: number
  readonly count: number
  readonly documentId: string
}

export interface Entry {
  readonly term: string
  readonly count: number
  readonly postings: Uint8Array
}

/** The chunks of a segment: a chunk's number is its position in both lists. */
export interface SegmentChunks {
  readonly ids: Uint32Array
  /** In terms. */
  readonly lengths: Uint16Array
}

/** As they are read from the database. */
export interface StoredChunks extends SegmentChunks {
  /** The sum of the lengths. */
  readonly termCount: number
}

export interface SegmentContent extends SegmentChunks {
  readonly entries: readonly Entry[]
}

export interface LoadedSegment extends StoredChunks {
  /** 1 for each chunk that was removed; null when none was. */
  readonly removed: Uint8Array | null
  /** The entries of the wanted terms that the segment has. */
  readonly entries: ReadonlyMap<string, Entry>
}
