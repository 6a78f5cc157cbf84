import type { Insertable, Selectable } from 'kysely'
import type { Schema } from '#platform/db/schema.ts'
import type { Vault } from '#platform/vault.ts'

export type Mac = Pick<Vault, 'mac'>
export type ChainRow = Selectable<Schema['audit_chains']>
/** What an event says, without its place in a chain. */
export type EventContent = Omit<Insertable<Schema['audit_events']>, 'mac' | 'seq' | 'link'>

/** The chain of events that belong to no workspace. */
export const instanceChain = 'instance'

export function chainOf(row: Pick<EventContent, 'workspace_id'>): string {
  return row.workspace_id ?? instanceChain
}

/** A MAC of what an event says. It lets no one without the key change or add an event. */
export function eventMac(vault: Mac, row: EventContent): string {
  return vault.mac('audit event', textOf(row))
}

/** A MAC of an event, its place, and the link before it: of all events before it. */
export function linkMac(
  vault: Mac,
  before: string,
  seq: number,
  row: EventContent & { readonly mac?: string | null },
): string {
  return vault.mac('audit link', JSON.stringify([chainOf(row), seq, before, textOf(row), row.mac]))
}

export function headMac(vault: Mac, head: Omit<ChainRow, 'mac'>): string {
  const { chain, seq, link, workspace_chains, unsigned_until, updated_at } = head
  const text = JSON.stringify([chain, seq, link, workspace_chains, unsigned_until, updated_at])
  return vault.mac('audit head', text)
}

/** A head of a chain without events. */
export function newHead(vault: Mac, chain: string, now: number, unsignedUntil = 0): ChainRow {
  const counts = { seq: 0, link: '', workspace_chains: 0 }
  const anchor = { anchor_seq: 0, anchor_link: '', anchor_kept: 0, anchor_mac: null }
  const times = { unsigned_until: unsignedUntil, updated_at: now }
  return withMac(vault, { chain, ...counts, ...anchor, ...times })
}

export function withMac(vault: Mac, head: Omit<ChainRow, 'mac'>): ChainRow {
  return { ...head, mac: headMac(vault, head) }
}

/** The columns in a fixed order: an event has the same text in every version and on both engines. */
function textOf(row: EventContent): string {
  return JSON.stringify([
    row.id,
    row.workspace_id,
    row.user_id,
    row.face,
    row.via_kind,
    row.via_id,
    row.client,
    row.action,
    row.target,
    row.outcome,
    row.detail_json,
    row.before_json ?? null,
    row.after_json ?? null,
    row.address ?? null,
    row.request_id,
    row.created_at,
  ])
}
