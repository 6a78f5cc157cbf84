import { sql, type Kysely, type Selectable } from 'kysely'
import { firstIdAt } from '#kernel/ids.ts'
import type { Database, Reader, Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'

export type EventRow = Selectable<Schema['audit_events']> & { readonly email: string | null }

/** An event that has no place in its chain yet. */
type NewEventRow = Omit<Selectable<Schema['audit_events']>, 'seq' | 'link'>

const insertNewEvent = (db: Kysely<Schema>, given: NewEventRow) =>
  db.insertInto('audit_events').values({
    id: given.id,
    workspace_id: given.workspace_id,
    user_id: given.user_id,
    face: given.face,
    via_kind: given.via_kind,
    via_id: given.via_id,
    client: given.client,
    action: given.action,
    target: given.target,
    outcome: given.outcome,
    detail_json: given.detail_json,
    before_json: given.before_json,
    after_json: given.after_json,
    address: given.address,
    request_id: given.request_id,
    created_at: given.created_at,
    mac: given.mac,
  })

/** @param db null where the unit's database is not known: the statement is then compiled each time */
export async function insertEvent(db: Database | null, tx: Tx, row: NewEventRow): Promise<void> {
  if (db === null) await insertNewEvent(tx, row).execute()
  else await db.prepared(insertNewEvent).later(tx, row)
}

/** A row of any table by its key. The field `agent` is an agent's UUID or name id. */
export interface RecordRef {
  readonly table: keyof Schema
  readonly where: Readonly<Record<string, string>>
}

export async function findRecordRow(
  reader: Reader,
  { table, where }: RecordRef,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const conditions = Object.entries(where).map(([column, value]) =>
    column === 'agent'
      ? sql`${sql.ref(table === 'agents' ? 'id' : 'agent_id')} = (
          select id from agents where id = ${value} or app_name_id = ${value})`
      : sql`${sql.ref(column)} = ${value}`,
  )
  const query = sql<Record<string, unknown>>`
    select * from ${sql.table(table)} where ${sql.join(conditions, sql` and `)} limit 1`
  const { rows } = await query.execute(reader)
  return rows[0]
}

export interface EventFilter {
  /** Null for all events, also outside any workspace: for operators. */
  readonly workspaceId: string | null
  readonly actor?: string | undefined
  readonly action?: string | undefined
  readonly target?: string | undefined
  readonly outcome?: 'done' | 'refused' | undefined
  /** Epoch milliseconds, both included. */
  readonly from?: number | undefined
  readonly to?: number | undefined
}

/** Newest first: ids are in order of time. The actor is a user's id or e-mail address. */
export function listEventRows(
  reader: Reader,
  filter: EventFilter,
  page: { readonly limit: number; readonly before: string | undefined },
): Promise<EventRow[]> {
  // Indexes have all that filters compare, so that only the rows of the page are read.
  let found = reader
    .selectFrom('audit_events as event')
    .select('event.id')
    .orderBy('event.id', 'desc')
    .limit(page.limit)
  const { workspaceId, actor, action, target, outcome, from, to } = filter
  if (workspaceId !== null) found = found.where('event.workspace_id', '=', workspaceId)
  if (actor !== undefined)
    // One value, so that both engines read the actor's events in the order of an index.
    found = found.where(
      'event.user_id',
      '=',
      sql<string>`coalesce((select id from users where email = ${actor.toLowerCase()}), ${actor})`,
    )
  if (action !== undefined) found = found.where('event.action', '=', action)
  if (target !== undefined) found = found.where('event.target', '=', target)
  if (outcome !== undefined) found = found.where('event.outcome', '=', outcome)
  // With it, the engines use the index of refused events.
  if (outcome === 'refused') found = found.where(sql<boolean>`event.outcome <> 'done'`)
  // The time in an id is never before its event, so that nothing older is read. It may be after it: ids of a
  // process stay in order when its clock is put back.
  if (from !== undefined)
    found = found.where('event.created_at', '>=', from).where('event.id', '>=', firstIdAt(from))
  if (to !== undefined) found = found.where('event.created_at', '<=', to)
  if (page.before !== undefined) found = found.where('event.id', '<', page.before)
  return reader
    .selectFrom('audit_events')
    .leftJoin('users as person', 'person.id', 'audit_events.user_id')
    .selectAll('audit_events')
    .select('person.email')
    .where('audit_events.id', 'in', found)
    .orderBy('audit_events.id', 'desc')
    .execute()
}
