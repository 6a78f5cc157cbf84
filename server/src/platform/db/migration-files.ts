import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Engine } from './database.ts'

export interface Migration {
  readonly version: number
  readonly name: string
  /** The common text and, after it, the engine's own. */
  readonly sql: string
  readonly sha256: string
}

const migrationsFolder = join(import.meta.dirname, '..', '..', '..', 'migrations')
const fileName = /^(\d{4})-([a-z0-9-]+?)(?:\.(sqlite|postgres))?\.sql$/

/** All migrations in order. `NNNN-name.sql` is for both engines, `NNNN-name.<engine>.sql` for one. */
export function readMigrations(engine: Engine, folder: string = migrationsFolder): Migration[] {
  const texts = new Map<string, string>()
  for (const file of readdirSync(folder).toSorted(commonFirst)) {
    const [, version, name, only] = fileName.exec(file) ?? []
    if (version === undefined || name === undefined) continue
    if (only !== undefined && only !== engine) continue
    const key = `${version}-${name}`
    texts.set(key, (texts.get(key) ?? '') + readFileSync(join(folder, file), 'utf8'))
  }
  return [...texts].map(([key, sql]) => ({
    version: Number(key.slice(0, 4)),
    name: key.slice(5),
    sql,
    sha256: createHash('sha256').update(sql).digest('hex'),
  }))
}

/** `0001-a.sql` before `0001-a.sqlite.sql`: plain order would put the dot of the engine first. */
function commonFirst(a: string, b: string): number {
  const [stemA, stemB] = [a.replace(/\.sql$/, ''), b.replace(/\.sql$/, '')]
  return stemA < stemB ? -1 : Number(stemA > stemB)
}
