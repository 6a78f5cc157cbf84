import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import type { Database } from '../../server/src/platform/db/database.ts'

/** A table or an index. */
interface Relation {
  readonly table: string
  /** Null for the rows themselves, with values that are stored apart. */
  readonly index: string | null
  readonly rows: number
  readonly bytes: number
}

interface Starting {
  readonly relations: readonly Relation[]
  readonly logBytes: number
}

export interface Growth {
  readonly engine: string
  readonly turns: number
  readonly turnsPerSecond: number
  readonly relations: readonly Relation[]
  readonly logBytesPerTurn: number
  readonly facts: Readonly<Record<string, string | number>>
}

export async function startingPoint(db: Database): Promise<Starting> {
  return { relations: await relationsOf(db), logBytes: await logBytes(db) }
}

export async function measureGrowth(
  db: Database,
  { before, turns, turnsMs }: { before: Starting; turns: number; turnsMs: number },
): Promise<Growth> {
  const log = (await logBytes(db)) - before.logBytes
  const facts = db.engine === 'postgres' ? await postgresFacts(db) : {}
  const known = new Map(before.relations.map((one) => [nameOf(one), one]))
  const relations = (await relationsOf(db)).map((one) => {
    const earlier = known.get(nameOf(one))
    return {
      ...one,
      rows: one.rows - (earlier?.rows ?? 0),
      bytes: one.bytes - (earlier?.bytes ?? 0),
    }
  })
  const memory = `${Math.round(process.memoryUsage().rss / 1e6)} MB`
  return {
    engine: db.engine,
    turns,
    turnsPerSecond: Math.round((turns / turnsMs) * 1000),
    relations: relations.filter(({ bytes }) => bytes > 0).toSorted((a, b) => b.bytes - a.bytes),
    logBytesPerTurn: Math.round(log / turns),
    facts: { ...facts, 'memory of this process': memory },
  }
}

const nameOf = ({ table, index }: Relation) => `${table} ${index ?? ''}`

export function printGrowth({ engine, turns, relations, ...rest }: Growth): void {
  const perTurn = (bytes: number) => (bytes / turns).toFixed(0).padStart(6)
  console.log(`${engine}, ${turns} turns, ${rest.turnsPerSecond} a second\n`)
  console.log('| Table or index | Rows | Bytes a turn |\n|---|---:|---:|')
  for (const one of relations.filter(({ bytes }) => bytes >= turns / 2))
    console.log(
      `| ${one.index ?? one.table} | ${one.index ? '' : one.rows} | ${perTurn(one.bytes)} |`,
    )
  const sum = (some: readonly Relation[]) => some.reduce((total, { bytes }) => total + bytes, 0)
  const rows = relations.filter(({ index }) => index === null)
  const indexes = relations.filter(({ index }) => index !== null)
  console.log(`| **all rows** | | ${perTurn(sum(rows))} |`)
  console.log(`| **all indexes** | | ${perTurn(sum(indexes))} |`)
  console.log(`| **together** | | ${perTurn(sum(relations))} |`)
  console.log(`| log written | | ${String(rest.logBytesPerTurn).padStart(6)} |\n`)
  for (const [name, value] of Object.entries(rest.facts)) console.log(`${name}: ${value}`)
}

/** PostgreSQL: its log; SQLite: what this process wrote to the disk, with checkpoints and flushes. */
async function logBytes(db: Database): Promise<number> {
  if (db.engine === 'sqlite')
    return Number(/^write_bytes: (\d+)/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1] ?? 0)
  const { rows } = await sql<{ bytes: number }>`
    select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint as bytes`.execute(db.scan)
  return rows[0]?.bytes ?? 0
}

async function relationsOf(db: Database): Promise<Relation[]> {
  const query =
    db.engine === 'postgres'
      ? sql<Relation>`
          select c.relname as "table", null as "index", c.reltuples::bigint as rows,
            pg_table_size(c.oid)::bigint as bytes
          from pg_class c join pg_namespace n on n.oid = c.relnamespace
          where c.relkind in ('r', 'p') and n.nspname = 'public'
          union all
          select t.relname, i.relname, 0, pg_relation_size(i.oid)::bigint
          from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
          join pg_namespace n on n.oid = t.relnamespace where n.nspname = 'public'`
      : sql<Relation>`
          select m.tbl_name as "table", case m.type when 'index' then m.name end as "index",
            sum(s.ncell) as rows, sum(s.pgsize) as bytes
          from dbstat s join sqlite_schema m on m.name = s.name
          group by m.tbl_name, m.type, m.name`
  if (db.engine === 'postgres') await sql`analyze`.execute(db.maintain)
  return (await query.execute(db.maintain)).rows
}

/** What vacuum has to do, how many updates stayed in their page, and the sessions of the server. */
async function postgresFacts(db: Database): Promise<Record<string, string | number>> {
  const { rows } = await sql<{ name: string; updates: number; hot: number; dead: number }>`
    select relname as name, n_tup_upd as updates, n_tup_hot_upd as hot, n_dead_tup as dead
    from pg_stat_user_tables where n_tup_upd > 100 order by n_tup_upd desc limit 6`.execute(db.scan)
  const { rows: sessions } = await sql<{ count: number; bytes: number }>`
    select count(*) as count from pg_stat_activity where backend_type = 'client backend'`.execute(
    db.scan,
  )
  return {
    connections: sessions[0]?.count ?? 0,
    ...Object.fromEntries(
      rows.map(({ name, updates, hot, dead }) => [
        `updates of ${name}`,
        `${updates}, ${((100 * hot) / updates).toFixed(0)} % in their page (HOT), ${dead} dead rows`,
      ]),
    ),
  }
}
