export interface JobsSchema {
  jobs: {
    id: string
    kind: string
    /** Of live jobs of a kind, at most one has a given key. */
    key: string | null
    workspace_id: string | null
    input_json: string
    status: 'queued' | 'running' | 'done' | 'failed'
    run_at: number
    rerun_at: number | null
    attempts: number
    lease_token: string | null
    last_error: string | null
    created_at: number
    updated_at: number
    finished_at: number | null
  }
  /** The processes that run jobs; the lease tokens of their jobs begin with their id. */
  job_runners: { id: string; alive_until: number }
}
