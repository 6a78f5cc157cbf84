import type { Database, Reader, Tx } from '#platform/db/database.ts'
import { postgresVectors } from './postgres-vector-store.ts'
import { sqliteVectors } from './sqlite-vector-store.ts'

export interface ChunkCode {
  readonly chunkId: number
  /** See `codeOf`. */
  readonly code: Uint8Array
}

export interface NearChunk {
  readonly chunkId: number
  readonly sourceId: string
  /** The cosine of the angle between chunk and question: at most 1. */
  readonly similarity: number
}

export interface VectorQuery {
  readonly spaceId: number
  readonly agentId: string
  readonly code: Uint8Array
  readonly minSimilarity: number
  readonly limit: number
}

/** Vectors as both engines offer them, where they do: the same codes, the same cosine. */
export interface VectorIndex {
  /** Whether this database can search vectors: sqlite-vec is loaded, or pgvector is there. */
  isAvailable(reader: Reader): Promise<boolean>
  /** Of chunks that exist; a chunk that has a vector in the space keeps it. */
  add(tx: Tx, spaceId: number, codes: readonly ChunkCode[]): Promise<void>
  /** Gives chunks of one document the vectors that chunks of another have for the same text. */
  inherit(tx: Tx, from: string, to: string): Promise<void>
  /** Deletes vectors of a space, at most so many. @returns how many */
  deleteSome(tx: Tx, spaceId: number, limit: number): Promise<number>
  /** Makes what is derived from the stored codes, where it is missing. @returns whether some was */
  repair(tx: Tx, limit: number): Promise<boolean>
  /** Chunks of ready documents, nearest first: compared one by one, so that none is missed. */
  rank(reader: Reader, query: VectorQuery): Promise<NearChunk[]>
}

export function vectorIndex({ engine }: Pick<Database, 'engine'>): VectorIndex {
  return engine === 'sqlite' ? sqliteVectors : postgresVectors
}
