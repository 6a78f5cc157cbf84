import type { Engine } from './database.ts'
import { readMigrations } from './migration-files.ts'
import { planMigrations, type AppliedMigration } from './plan-migrations.ts'

/** One value of a stored row, the same from both engines. PostgreSQL's arrays are in its text form. */
export type Cell = string | number | bigint | null | Uint8Array

export interface TableShape {
  readonly name: string
  readonly columns: readonly string[]
}

/** What a copy says before its rows. */
export interface CopyHeader {
  readonly engine: Engine
  /** Epoch milliseconds. */
  readonly takenAt: number
  readonly migrations: readonly AppliedMigration[]
  /** In an order that foreign keys allow. */
  readonly tables: readonly TableShape[]
  /** The last number that each table with an identity column has assigned. */
  readonly counters: Readonly<Record<string, number>>
  /** Of the secret key that sealed its values; null when the database never started. */
  readonly keyFingerprint: string | null
}

export interface RowBatch {
  readonly table: string
  readonly rows: readonly (readonly Cell[])[]
}

/** All rows of a database as of one moment. */
export interface RowSource {
  readonly header: CopyHeader
  /** Table by table in the header's order; every table with a row appears. */
  batches(): AsyncIterable<RowBatch>
}

export const rowsPerBatch = 200

/** A copy omits this table: a restored database writes its own. */
export const migrationsTableName = 'schema_migrations'

export function quoted(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`
}

export function schemaOf({ migrations }: Pick<CopyHeader, 'migrations'>): number {
  return Math.max(0, ...migrations.map(({ version }) => version))
}

/**
 * Refuses a copy that these migrations cannot rebuild. The migrations of the other engine have
 * different texts, so only their numbers are compared.
 *
 * @throws SchemaError
 */
export function refuseUnknownSchema(engine: Engine, header: CopyHeader): void {
  const known = readMigrations(engine)
  const texts = new Map(known.map(({ version, sha256 }) => [version, sha256]))
  const applied = header.migrations.map((migration) =>
    header.engine === engine
      ? migration
      : { ...migration, sha256: texts.get(migration.version) ?? migration.sha256 },
  )
  planMigrations(known, applied)
}

/** The batches for `tables`; those of other tables, such as the other engine's index, are skipped. */
export async function* batchesInto(
  tables: ReadonlySet<string>,
  { header, batches }: RowSource,
): AsyncGenerator<TableShape & Pick<RowBatch, 'rows'>> {
  const shapes = new Map(header.tables.map((shape) => [shape.name, shape]))
  for await (const { table, rows } of batches()) {
    const shape = shapes.get(table)
    if (shape !== undefined && tables.has(table)) yield { ...shape, rows }
  }
}

/**
 * Sorts each table after those that it refers to.
 *
 * @param references pairs of a table and one that it refers to; a table may refer to itself
 */
export function orderByReferences(
  tables: readonly TableShape[],
  references: readonly (readonly [table: string, target: string])[],
): TableShape[] {
  const ordered = new Set<TableShape>()
  const byName = new Map(tables.map((table) => [table.name, table]))
  const visit = (table: TableShape, below: readonly TableShape[]): void => {
    if (ordered.has(table)) return
    if (below.includes(table)) throw new Error(`Tables refer to each other: ${table.name}`)
    for (const [from, target] of references) {
      const next = byName.get(target)
      if (from === table.name && next !== undefined && next !== table)
        visit(next, [...below, table])
    }
    ordered.add(table)
  }
  for (const table of tables.toSorted((a, b) => (a.name < b.name ? -1 : 1))) visit(table, [])
  return [...ordered]
}
