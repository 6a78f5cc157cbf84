export interface UploadedFilesSchema {
  uploaded_files: {
    id: string
    workspace_id: string
    agent_id: string
    filename: string
    media_type: string | null
    /** Null while it arrives. */
    purpose: string | null
    byte_length: number
    created_at: number
    expires_at: number
    renews: number
  }
  uploaded_file_pieces: { file_id: string; ordinal: number; bytes: Uint8Array }
}
