import type { Generated } from 'kysely'

export interface AuditSchema {
  audit_events: {
    id: string
    workspace_id: string | null
    user_id: string | null
    face: string
    via_kind: string | null
    via_id: string | null
    client: string | null
    action: string
    target: string | null
    outcome: string
    detail_json: string | null
    /** What a change changed, as it was and as it became. */
    before_json: Generated<string | null>
    after_json: Generated<string | null>
    /** Where a person did it from. */
    address: Generated<string | null>
    request_id: string | null
    created_at: number
  }
}
