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
    /** `named`: the upload names its end user; `one`: only used for this end user so far. */
    owner: 'named' | 'unused' | 'one' | 'several'
    /** Set if it is `named` or of `one`. */
    end_user: string | null
  }
  uploaded_file_pieces: { file_id: string; ordinal: number; bytes: Uint8Array }
}
