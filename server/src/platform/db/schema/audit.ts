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
    /** Of the event, by the process that wrote it; null for a version before the chain. */
    mac: Generated<string | null>
    /** The place in its chain, from 1; null until it is sealed. */
    seq: Generated<number | null>
    /** A MAC of the event, its place and the link before it. */
    link: Generated<string | null>
  }
  audit_chains: {
    /** A workspace's id, or `instance` for events of no workspace. */
    chain: string
    /** Of the newest sealed event. */
    seq: number
    link: string
    /** Of `instance`: how many workspaces have a chain. */
    workspace_chains: number
    /** Of `instance`: events without a MAC are sealed up to this time, for a rolling upgrade. */
    unsigned_until: number
    updated_at: number
    /** Of the row, without the anchor. */
    mac: string
    /** Up to here, events were removed because of their age. */
    anchor_seq: Generated<number>
    anchor_link: Generated<string>
    /** How many older events were kept. */
    anchor_kept: Generated<number>
    anchor_mac: Generated<string | null>
  }
}
