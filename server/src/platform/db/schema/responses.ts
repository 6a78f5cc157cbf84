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
    /**
     * `direct`: a caller waits for it. `deleted`: the row only shows which messages it added to its
     * session. The others are those of a background run.
     */
    status: 'direct' | 'queued' | 'running' | 'ended' | 'cancelled' | 'deleted'
    /** Why a background run failed before it could answer. */
    error_code: string | null
    created_at: number
  }
  /** Requests of background responses that have not ended. */
  response_runs: {
    response_id: string
    workspace_id: string
    agent_id: string
    session_id: string
    /** See `RunInput`. */
    input_json: string
    created_at: number
  }
  /** What background responses have streamed; each row is one event. */
  response_texts: {
    response_id: string
    /** From 0. */
    n: number
    session_id: string
    /** The message that the text is part of. */
    message_id: string
    /** Empty for a refusal and reasoning. */
    content: string
    /** How the model refuses; null for others. */
    refusal: string | null
    /** What the model thought; null for others. */
    reasoning: string | null
  }
  conversation_metadata: {
    session_id: string
    workspace_id: string
    agent_id: string
    metadata_json: string
  }
}
