import { sql } from 'kysely'
import type { Engine, Reader, Tx } from '#platform/db/database.ts'
import type { MetaKey } from '#platform/meta.ts'
import { instanceChain, type ChainRow } from './event-macs.ts'

/** The head of a chain. Other units that extend it wait or are replayed. */
export function lockHead(tx: Tx, engine: Engine, chain: string): Promise<ChainRow | undefined> {
  const query = tx.selectFrom('audit_chains').selectAll().where('chain', '=', chain)
  return (engine === 'postgres' ? query.forUpdate() : query).executeTakeFirst()
}

export function findHead(reader: Reader, chain: string): Promise<ChainRow | undefined> {
  return reader.selectFrom('audit_chains').selectAll().where('chain', '=', chain).executeTakeFirst()
}

/** @returns false if another process was first */
export async function insertHead(tx: Tx, head: ChainRow): Promise<boolean> {
  const inserted = await tx
    .insertInto('audit_chains')
    .values(head)
    .onConflict((conflict) => conflict.column('chain').doNothing())
    .returning('chain')
    .executeTakeFirst()
  return inserted !== undefined
}

export async function updateHead(tx: Tx, { chain, ...changes }: ChainRow): Promise<void> {
  await tx.updateTable('audit_chains').set(changes).where('chain', '=', chain).execute()
}

export async function deleteHead(tx: Tx, chain: string): Promise<void> {
  await tx.deleteFrom('audit_chains').where('chain', '=', chain).execute()
}

/** Every chain that has a head or events, in order, after the given one. */
export async function listChains(reader: Reader, after: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ chain: string }>`
    select chain from (
      select chain from audit_chains
      union
      select distinct coalesce(workspace_id, ${sql.lit(instanceChain)}) from audit_events
    ) as chains
    where chain > ${after} order by chain limit ${sql.lit(limit)}
  `.execute(reader)
  return rows.map(({ chain }) => chain)
}

/** The instance's head, and the number of the other heads at the same time. */
export function findInstance(reader: Reader) {
  return reader
    .selectFrom('audit_chains')
    .selectAll()
    .select((e) =>
      e
        .selectFrom('audit_chains as others')
        .select(({ fn }) => fn.countAll<number | string>().as('n'))
        .where('others.chain', '<>', instanceChain)
        .as('workspaces'),
    )
    .where('chain', '=', instanceChain)
    .executeTakeFirst()
}

const begunAt: MetaKey = 'audit_log_begun_at'

export async function hasBegun(reader: Reader): Promise<boolean> {
  const query = reader.selectFrom('meta').select('key').where('key', '=', begunAt)
  return (await query.executeTakeFirst()) !== undefined
}

/** @returns false if the log was begun before */
export async function markBegun(tx: Tx, now: number): Promise<boolean> {
  const inserted = await tx
    .insertInto('meta')
    .values({ key: begunAt, value: String(now) })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .returning('key')
    .executeTakeFirst()
  return inserted !== undefined
}

/** Whether any chain has a head or a sealed event. */
export async function hasChains(reader: Reader): Promise<boolean> {
  const head = await reader.selectFrom('audit_chains').select('chain').limit(1).executeTakeFirst()
  if (head !== undefined) return true
  const sealed = reader.selectFrom('audit_events').select('id').where('seq', 'is not', null)
  return (await sealed.limit(1).executeTakeFirst()) !== undefined
}

export async function hasUnsigned(reader: Reader): Promise<boolean> {
  const query = reader.selectFrom('audit_events').select('id').where('seq', 'is', null)
  return (await query.where('mac', 'is', null).limit(1).executeTakeFirst()) !== undefined
}

export type SealableRow = Awaited<ReturnType<typeof listUnsealed>>[number]

/** Oldest first. */
export function listUnsealed(
  reader: Reader,
  { after, limit, chain }: { after: string; limit: number; chain?: string },
) {
  let query = reader
    .selectFrom('audit_events')
    .selectAll()
    .where('seq', 'is', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
  if (chain === instanceChain) query = query.where('workspace_id', 'is', null)
  else if (chain !== undefined) query = query.where('workspace_id', '=', chain)
  return query.execute()
}

/** Which of these events there are. */
export async function findEventIds(reader: Reader, ids: readonly string[]): Promise<string[]> {
  const query = reader.selectFrom('audit_events').select('id').where('id', 'in', ids)
  return (await query.execute()).map(({ id }) => id)
}

/** Sealed events of a chain in their order. */
export function listSealed(reader: Reader, chain: string, after: number, limit: number) {
  const query = reader
    .selectFrom('audit_events')
    .selectAll()
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(limit)
  return chain === instanceChain
    ? query.where('workspace_id', 'is', null).execute()
    : query.where('workspace_id', '=', chain).execute()
}

/** Deletes sealed events of a chain: those after one place and up to another, except some. */
export async function deleteSealed(
  tx: Tx,
  chain: string,
  { after, until }: { readonly after: number; readonly until: number },
  except: readonly string[],
): Promise<number> {
  let query = tx
    .deleteFrom('audit_events')
    .where(
      'workspace_id',
      chain === instanceChain ? 'is' : '=',
      chain === instanceChain ? null : chain,
    )
    .where('seq', '>', after)
    .where('seq', '<=', until)
  if (except.length > 0) query = query.where('id', 'not in', except)
  return Number((await query.executeTakeFirst()).numDeletedRows)
}

export async function hasSealed(reader: Reader, chain: string): Promise<boolean> {
  return (await listSealed(reader, chain, 0, 1)).length > 0
}

export interface Place {
  readonly id: string
  readonly seq: number
  readonly link: string
}

export async function placeEvents(tx: Tx, places: readonly Place[]): Promise<void> {
  const rows = places.map(({ id, seq, link }) => sql`(${id}, cast(${seq} as bigint), ${link})`)
  await sql`
    update audit_events set seq = places.column2, link = places.column3
    from (values ${sql.join(rows)}) as places
    where audit_events.id = places.column1 and audit_events.seq is null
  `.execute(tx)
}

/** Workspaces whose row says that their purge has begun: anyone who can write to the table can say so. */
export async function listMarked(reader: Reader, only?: string): Promise<string[]> {
  let query = reader.selectFrom('workspaces').select('id').where('purge_began_at', 'is not', null)
  if (only !== undefined) query = query.where('id', '=', only)
  return (await query.execute()).map(({ id }) => id)
}

/** The events of the instance about purges, oldest first. */
export function listPurgeEvents(
  reader: Reader,
  {
    action,
    target,
    after,
    limit,
  }: PurgeEvents & { readonly after: string; readonly limit: number },
) {
  let query = reader
    .selectFrom('audit_events')
    .selectAll()
    .where('workspace_id', 'is', null)
    .where('action', '=', action)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
  if (target !== undefined) query = query.where('target', '=', target)
  return query.execute()
}

interface PurgeEvents {
  readonly action: string
  readonly target?: string
}
