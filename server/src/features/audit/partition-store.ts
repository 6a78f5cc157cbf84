import { sql, type RawBuilder } from 'kysely'
import type { Reader, Tx } from '#platform/db/database.ts'
import { instanceChain } from './event-macs.ts'
import { firstIdOf, monthOf } from './partition-months.ts'
import { keptActions } from './purge-events.ts'

/**
 * The partitions of `audit_events` on PostgreSQL. Each has the ids from the bound before it up to its own;
 * an id begins with its time. Together they take every id: the first has no lower bound, and the last, the
 * open one, no upper bound.
 */

export interface Partition {
  readonly name: string
  /** The first id that it may have; null for the first partition. */
  readonly from: string | null
  /** The id at which it ends; null for the open one. */
  readonly until: string | null
  /** The month at which the open one will end, as `2027_01`, when that was begun; else null. */
  readonly endingAt: string | null
}

const openName = 'audit_events_open'
const endingPrefix = 'audit_events_until_'
const keptPrefix = 'audit_events_kept_'

/** Whether it has only events that are kept whatever their age. */
export function isOfKept({ name }: Partition): boolean {
  return name.startsWith(keptPrefix)
}

/** In order of time. */
export async function listPartitions(reader: Reader): Promise<readonly Partition[]> {
  const { rows } = await sql<{ name: string; bounds: string; ending: string | null }>`
    select part.relname as name, pg_get_expr(part.relpartbound, part.oid) as bounds, (
      select conname from pg_constraint
      where conrelid = part.oid and contype = 'c' and starts_with(conname, ${endingPrefix})
    ) as ending
    from pg_inherits as parent join pg_class as part on part.oid = parent.inhrelid
    where parent.inhparent = 'audit_events'::regclass
  `.execute(reader)
  const partitions = rows.map(({ name, bounds, ending }) => ({
    name,
    from: boundIn(/FROM \('([^']+)'\)/.exec(bounds)),
    until: boundIn(/TO \('([^']+)'\)/.exec(bounds)),
    endingAt: ending?.slice(endingPrefix.length) ?? null,
  }))
  return partitions.toSorted((a, b) => ((a.from ?? '') < (b.from ?? '') ? -1 : 1))
}

function boundIn(found: RegExpExecArray | null): string | null {
  return found?.[1] ?? null
}

/** For DDL, which takes no parameters. */
const literal = (value: string): RawBuilder<unknown> => sql.lit(value)

function rangeOf(from: string | null, until: string | null): RawBuilder<unknown> {
  const first = from === null ? sql`minvalue` : literal(from)
  const end = until === null ? sql`maxvalue` : literal(until)
  return sql`for values from (${first}) to (${end})`
}

/**
 * A step. Everyone else queues behind a unit that waits for a lock on the log, so it gives up soon. Autovacuum
 * gives way to those who have waited for `deadlock_timeout`, a second, so the limit is a little longer.
 */
async function limitLockWait(tx: Tx): Promise<void> {
  await sql`set local lock_timeout = '1500ms'`.execute(tx)
}

/** The newest id of a partition. */
export async function newestId(reader: Reader, { name }: Partition): Promise<string | null> {
  const { rows } = await sql<{ id: string | null }>`
    select max(id) as id from ${sql.table(name)}`.execute(reader)
  return rows[0]?.id ?? null
}

/** 0083-audit-partitions.postgres.sql */
const partitionsVersion = 83

/** How long ago, in milliseconds, this database got partitions, by its server's clock. */
export async function partitionedForMs(reader: Reader): Promise<number> {
  const { rows } = await sql<{ ms: number }>`
    select cast(extract(epoch from now()) * 1000 as bigint) - applied_at as ms
    from schema_migrations where version = ${partitionsVersion}`.execute(reader)
  return Number(rows[0]?.ms ?? 0)
}

/**
 * A step: from now on, the open partition takes no id of the month or later. Its rows are not read yet, so
 * this takes a moment.
 */
export async function beginEnd(tx: Tx, { name, from }: Partition, month: string): Promise<void> {
  const lower = from === null ? sql`` : sql`id >= ${literal(from)} and `
  await limitLockWait(tx)
  await sql`
    alter table ${sql.table(name)} add constraint ${sql.ref(endingPrefix + month)}
    check (${lower}id < ${literal(firstIdOf(month))}) not valid`.execute(tx)
}

/** Reads all rows of the open partition, beside those who read and write it. */
export async function proveEnd(reader: Reader, { name }: Partition, month: string): Promise<void> {
  const constraint = sql.ref(endingPrefix + month)
  await sql`alter table ${sql.table(name)} validate constraint ${constraint}`.execute(reader)
}

/** A step: takes back `beginEnd`. */
export async function cancelEnd(tx: Tx, { name }: Partition, month: string): Promise<void> {
  await limitLockWait(tx)
  await dropEnd(tx, name, month)
}

async function dropEnd(tx: Tx, name: string, month: string): Promise<void> {
  await sql`alter table ${sql.table(name)} drop constraint ${sql.ref(endingPrefix + month)}`.execute(
    tx,
  )
}

/**
 * A step: the open partition ends at the month, and a new one takes later ids. The constraint proves its
 * bounds, so no row is read while everyone waits.
 */
export async function endPartition(
  tx: Tx,
  { name, from }: Partition,
  month: string,
): Promise<void> {
  const until = firstIdOf(month)
  const ended = endingPrefix + month
  await limitLockWait(tx)
  await sql`lock table audit_events in access exclusive mode`.execute(tx)
  await sql`alter table audit_events detach partition ${sql.table(name)}`.execute(tx)
  await sql`alter table ${sql.table(name)} rename to ${sql.ref(ended)}`.execute(tx)
  await attach(tx, ended, rangeOf(from, until))
  await dropEnd(tx, ended, month)
  await sql`create table ${sql.table(openName)} (like audit_events)`.execute(tx)
  await guardTruncate(tx, openName)
  await attach(tx, openName, rangeOf(until, null))
}

async function attach(tx: Tx, name: string, range: RawBuilder<unknown>): Promise<void> {
  await sql`alter table audit_events attach partition ${sql.table(name)} ${range}`.execute(tx)
}

/** Triggers of rows come with the attachment, those of `truncate` do not. */
async function guardTruncate(tx: Tx, name: string): Promise<void> {
  await sql`
    create trigger audit_events_stay_together before truncate on ${sql.table(name)}
    for each statement execute function keep_all_audit_events()`.execute(tx)
}

/** Every chain that has events in a partition. */
export async function chainsIn(reader: Reader, { name }: Partition): Promise<readonly string[]> {
  const { rows } = await sql<{ chain: string }>`
    select distinct coalesce(workspace_id, ${instanceChain}) as chain from ${sql.table(name)}
    order by chain`.execute(reader)
  return rows.map(({ chain }) => chain)
}

/** Moves the signed anchor of a chain to its newest event that is deleted. */
export interface AnchorMove {
  readonly chain: string
  /** The anchor before. */
  readonly from: number
  readonly seq: number
  readonly link: string
  readonly kept: number
  readonly mac: string | null
}

export interface ExpiredPartition {
  readonly expired: Partition
  /** The partition before it, with events of earlier ones that are kept. */
  readonly kept: Partition | undefined
  readonly moves: readonly AnchorMove[]
}

/**
 * A step: moves the anchors, and drops the partition except for the events that are kept. Units that seal wait
 * meanwhile, those that record events for the last moment only.
 *
 * @returns false if an anchor has moved, or the partition has an event that the anchors do not cover
 */
export async function dropPartition(tx: Tx, given: ExpiredPartition): Promise<boolean> {
  const { expired, moves } = given
  const planned = plannedOf(moves)
  await limitLockWait(tx)
  // Before the first read, which fixes what the unit sees. Every unit that extends a chain locks its head
  // first, so none can hold what this one waits for.
  await sql`lock table audit_chains in exclusive mode`.execute(tx)
  await sql`lock table ${sql.table(expired.name)} in share mode`.execute(tx)
  if (!(await isCovered(tx, given, planned))) return false
  const { numAffectedRows = 0n } = await sql`
    update audit_chains as head set anchor_seq = planned.seq, anchor_link = planned.link,
      anchor_kept = planned.kept, anchor_mac = planned.mac
    from ${planned} where head.chain = planned.chain`.execute(tx)
  if (Number(numAffectedRows) !== moves.length) throw new Error('a chain has lost its head')
  await replaceByKept(tx, given)
  return true
}

function plannedOf(moves: readonly AnchorMove[]): RawBuilder<unknown> {
  return sql`json_to_recordset(${JSON.stringify(moves)}::json) as planned
    (chain text, "from" bigint, seq bigint, link text, kept bigint, mac text)`
}

async function isCovered(
  tx: Tx,
  { expired, moves }: ExpiredPartition,
  planned: RawBuilder<unknown>,
): Promise<boolean> {
  const { rows: heads } = await sql`
    select 1 from audit_chains as head join ${planned}
    on head.chain = planned.chain and head.anchor_seq = planned.from`.execute(tx)
  if (heads.length !== moves.length) return false
  // A count, and no limit: PostgreSQL would compare each event with each chain to find a first one soon.
  const { rows } = await sql<{ uncovered: string }>`
    select count(*) as uncovered from ${sql.table(expired.name)} as event
    left join ${planned} on planned.chain = coalesce(event.workspace_id, ${instanceChain})
    where (event.seq > planned."from" and event.seq <= planned.seq) is not true
      and (event.seq <= planned."from" and ${whereKept()}) is not true`.execute(tx)
  return Number(rows[0]?.uncovered) === 0
}

/** `isKept` of `old-events.ts` in SQL. */
function whereKept(): RawBuilder<boolean> {
  return sql`(event.mac is not null and event.action in (${sql.join(keptActions)}))`
}

async function replaceByKept(tx: Tx, { expired, kept }: ExpiredPartition): Promise<void> {
  const { until } = expired
  if (until === null) throw new Error('the open partition is never dropped')
  const name = keptPrefix + monthOf(until)
  await sql`create table ${sql.table(name)} (like audit_events)`.execute(tx)
  await sql`
    insert into ${sql.table(name)}
    select * from ${sql.table(expired.name)} as event where ${whereKept()}`.execute(tx)
  if (kept !== undefined)
    await sql`insert into ${sql.table(name)} select * from ${sql.table(kept.name)}`.execute(tx)
  await guardTruncate(tx, name)
  await sql`lock table audit_events in access exclusive mode`.execute(tx)
  for (const old of kept === undefined ? [expired] : [kept, expired]) {
    await sql`alter table audit_events detach partition ${sql.table(old.name)}`.execute(tx)
    await sql`drop table ${sql.table(old.name)}`.execute(tx)
  }
  await attach(tx, name, rangeOf(null, until))
}
