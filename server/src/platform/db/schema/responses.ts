export interface ResponsesSchema {
  chat_responses: {
    id: string
    workspace_id: string
    agent_id: string
    session_id: string
    /** The answer; null until a background run begins to answer. */
    message_id: string | null
    /** The number of its first input message in the session. */
    first_seq: number
    /** What the response repeats of its request. */
    request_json: string
    /** `direct`: a caller waits for it. The others are those of a background run. */
    status: 'direct' | 'queued' | 'running' | 'ended' | 'cancelled'
    /** Why a background run failed before it could answer. */
    error_code: string | null
    created_at: number
  }
}
