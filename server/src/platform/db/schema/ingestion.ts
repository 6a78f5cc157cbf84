export interface IngestionSchema {
  knowledge_file_pieces: { source_id: string; ordinal: number; bytes: Uint8Array }
}
