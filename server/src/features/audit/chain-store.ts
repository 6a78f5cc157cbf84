import { sql } from 'kysely'
import type { Engine, Reader, Tx } from '#platform/db/database.ts'
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

export async function countWorkspaceHeads(reader: Reader): Promise<number> {
  const { n } = await reader
    .selectFrom('audit_chains')
    .select((e) => e.fn.countAll<number | string>().as('n'))
    .where('chain', '<>', instanceChain)
    .executeTakeFirstOrThrow()
  return Number(n)
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

export async function isBeingPurged(reader: Reader, workspaceId: string): Promise<boolean> {
  const row = await reader
    .selectFrom('workspaces')
    .select('id')
    .where('id', '=', workspaceId)
    .where('purge_began_at', 'is not', null)
    .executeTakeFirst()
  return row !== undefined
}
