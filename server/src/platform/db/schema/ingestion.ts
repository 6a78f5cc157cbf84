export interface IngestionSchema {
  knowledge_file_pieces: { source_id: string; ordinal: number; bytes: Uint8Array }
  /** Files whose bytes are in a store of objects. */
  knowledge_file_objects: { source_id: string; address: string; byte_length: number }
  /** Objects to be deleted from their store. */
  object_deletions: { address: string; due_at: number }
}
