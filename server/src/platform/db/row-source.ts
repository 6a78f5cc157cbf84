import type { Engine } from './database.ts'
import { readMigrations } from './migration-files.ts'
import { planMigrations, type AppliedMigration } from './plan-migrations.ts'

/** One value of a stored row, the same from both engines. Arrays of PostgreSQL come as its text. */
export type Cell = string | number | bigint | null | Uint8Array

export interface TableShape {
  readonly name: string
  readonly columns: readonly string[]
}

/** What is told of a copy before its rows. */
export interface CopyHeader {
  readonly engine: Engine
  /** Epoch milliseconds. */
  readonly takenAt: number
  readonly migrations: readonly AppliedMigration[]
  /** In an order that foreign keys allow. */
  readonly tables: readonly TableShape[]
  /** The last number that each table with an identity column has given. */
  readonly counters: Readonly<Record<string, number>>
  /** Of the secret key that its sealed values need; null in one that never started. */
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

export type CopyProgress = (done: { readonly table: string; readonly rows: number }) => void

export const rowsPerBatch = 200

/** What a copy leaves out: a restored database writes it itself. */
export const migrationsTableName = 'schema_migrations'

export function schemaOf({ migrations }: Pick<CopyHeader, 'migrations'>): number {
  return Math.max(0, ...migrations.map(({ version }) => version))
}

/**
 * Refuses a copy that these migrations cannot rebuild. Those of the other engine have other texts:
 * of them only the numbers are compared.
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

/**
 * Tables after those that they refer to.
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
