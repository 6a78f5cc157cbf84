import type { Generated } from 'kysely'

export interface IngestionSchema {
  knowledge_file_pieces: { source_id: string; ordinal: number; bytes: Uint8Array }
  /** Files whose bytes are in a store of objects. */
  knowledge_file_objects: {
    source_id: string
    address: string
    byte_length: number
    /** 1 after a restore: another database may refer to the object, so it is not deleted. */
    is_shared: Generated<number>
  }
  /** Objects to be deleted from their store. */
  object_deletions: {
    address: string
    due_at: number
    /** The file of an object that was replaced; it is deleted with the file at the latest. */
    source_id: Generated<string | null>
  }
}
