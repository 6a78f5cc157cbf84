import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Engine } from './database.ts'

export interface Migration {
  readonly version: number
  readonly name: string
  /** The common text, followed by the engine's own. */
  readonly sql: string
  readonly sha256: string
}

const migrationsFolder = join(import.meta.dirname, '..', '..', '..', 'migrations')
const fileName = /^(\d{4})-([a-z0-9-]+)(?:\.(sqlite|postgres))?\.sql$/

interface MigrationFile {
  readonly version: number
  readonly name: string
  /** The engine that it is for; undefined for both. */
  readonly only: string | undefined
  readonly file: string
}

/**
 * All migrations in order. `NNNN-name.sql` is for both engines; `NNNN-name.<engine>.sql` runs after it
 * on one engine.
 *
 * @throws Error when a file has another name, or two names have the same number
 */
export function readMigrations(engine: Engine, folder: string = migrationsFolder): Migration[] {
  const files = readdirSync(folder).map(parseName)
  const byVersion = Map.groupBy(files, ({ version }) => version)
  return [...byVersion.values()]
    .toSorted(([a], [b]) => (a?.version ?? 0) - (b?.version ?? 0))
    .flatMap((parts) => assemble(parts, engine, folder))
}

function parseName(file: string): MigrationFile {
  const [, version, name, only] = fileName.exec(file) ?? []
  if (version === undefined || name === undefined)
    throw new Error(`${file} is no migration: use NNNN-name.sql, .sqlite.sql or .postgres.sql`)
  return { version: Number(version), name, only, file }
}

function assemble(
  parts: readonly MigrationFile[],
  engine: Engine,
  folder: string,
): readonly Migration[] {
  const [first] = parts
  const other = parts.find(({ name }) => name !== first?.name)
  if (first === undefined) return []
  if (other !== undefined)
    throw new Error(
      `${first.file} and ${other.file} have one number: use the next number for the later one`,
    )
  const common = parts.filter(({ only }) => only === undefined)
  const own = parts.filter(({ only }) => only === engine)
  // A checkout on Windows may have other line ends; the migration is the same.
  const sql = [...common, ...own]
    .map(({ file }) => readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n'))
    .join('')
  const sha256 = createHash('sha256').update(sql).digest('hex')
  return [{ version: first.version, name: first.name, sql, sha256 }]
}
