import type { Migration } from './migration-files.ts'

export type AppliedMigration = Pick<Migration, 'version' | 'name' | 'sha256'>

export interface SchemaStatus {
  /** The database's version; 0 for an empty one. */
  readonly current: number
  /** The newest version this service knows. */
  readonly newest: number
  readonly pending: readonly string[]
  /** Migrations of a later version. */
  readonly later: readonly string[]
}

/** This version of Parley cannot use the database; the message explains why and what to do. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError'
}

/**
 * The migrations that have not been applied yet.
 *
 * @throws SchemaError when the database is newer than this service, or a migration was changed after
 *   it had been applied
 */
export function planMigrations(
  known: readonly Migration[],
  applied: readonly AppliedMigration[],
): Migration[] {
  const byVersion = new Map(known.map((migration) => [migration.version, migration]))
  for (const { version, name, sha256 } of applied) {
    const same = byVersion.get(version)
    if (same === undefined) throw new SchemaError(newerSchema(`${version} (${name})`))
    if (same.sha256 !== sha256)
      throw new SchemaError(
        `Migration ${version} (${name}) differs from the one that was applied to this database. Restore the original file.`,
      )
  }
  const done = new Set(applied.map(({ version }) => version))
  return known.filter(({ version }) => !done.has(version))
}

function newerSchema(which: string): string {
  return `The database has schema ${which}, which is newer than this version of Parley. Install the newer version, or restore a backup made before it.`
}

/** @throws SchemaError when a later version has migrated the database */
export function refuseLater({ later }: SchemaStatus): void {
  const [first] = later
  if (first !== undefined) throw new SchemaError(newerSchema(first.replace(/ (.*)/, ' ($1)')))
}

/** @throws SchemaError when a migration was changed after it had been applied */
export function statusOf(
  known: readonly Migration[],
  applied: readonly AppliedMigration[],
): SchemaStatus {
  const versions = new Set(known.map(({ version }) => version))
  const ours = applied.filter(({ version }) => versions.has(version))
  const named = ({ version, name }: AppliedMigration) => `${version} ${name}`
  return {
    current: Math.max(0, ...applied.map(({ version }) => version)),
    newest: Math.max(0, ...versions),
    pending: planMigrations(known, ours).map(named),
    later: applied.filter((migration) => !ours.includes(migration)).map(named),
  }
}

/**
 * Whether a process that runs can go on with this schema. A later version may have migrated the
 * database during a rolling upgrade: every migration leaves the version before able to work, except
 * those whose names end with `-breaking`.
 */
export function isServable({ pending, later }: SchemaStatus): boolean {
  return pending.length === 0 && !later.some(isBreaking)
}

/** Whether the version before cannot work on the schema of this migration. */
export function isBreaking(migration: string): boolean {
  return migration.endsWith('-breaking')
}

export const migrationsTable = `
  create table if not exists schema_migrations (
    version bigint primary key,
    name text not null,
    sha256 text not null,
    applied_at bigint not null
  )`

export const appliedQuery = 'select version, name, sha256 from schema_migrations order by version'
