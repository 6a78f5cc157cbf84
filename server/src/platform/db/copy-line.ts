import { z } from 'zod'
import type { Cell, CopyHeader } from './row-source.ts'
import { BackupError } from './sqlite/sqlite-backup.ts'

/** The lines of a copy file (copy-file.ts explains their order). */

export const copyFormat = 1

const headerLine = z.object({
  parley: z.literal('database copy'),
  format: z.int(),
  engine: z.enum(['sqlite', 'postgres']),
  takenAt: z.number(),
  migrations: z.array(z.object({ version: z.int(), name: z.string(), sha256: z.string() })),
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()) })),
  counters: z.record(z.string(), z.int()),
  keyFingerprint: z.string().nullable(),
})

export type HeaderLine = CopyHeader & Pick<z.infer<typeof headerLine>, 'parley' | 'format'>

const tableLine = z.object({ table: z.string() })
const trailerLine = z.object({ rows: z.int(), sha256: z.string() })

export type Trailer = z.infer<typeof trailerLine>

export function parseLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch (cause) {
    throw new BackupError('it is damaged: a line of it cannot be read', { cause })
  }
}

/** @throws BackupError when the line is no header, or a newer version wrote it */
export function readHeader(value: unknown): CopyHeader {
  const header = headerLine.safeParse(value)
  if (!header.success) throw new BackupError('it is no backup of Parley')
  if (header.data.format > copyFormat)
    throw new BackupError('a newer version of Parley wrote it: install that version')
  const tables = header.data.tables.map((table) => ({ ...table, name: currentName(table.name) }))
  return { ...header.data, tables }
}

/**
 * A process of a version before migration 83, which copies the database during a rolling upgrade, names the only
 * partition of the audit log instead of the table.
 */
function currentName(table: string): string {
  return table === 'audit_events_open' ? 'audit_events' : table
}

export function readTable(value: unknown): string {
  const line = tableLine.safeParse(value)
  if (!line.success) throw new BackupError('it is damaged: a line of it cannot be read')
  return currentName(line.data.table)
}

export function isTrailer(value: unknown): value is Trailer {
  return trailerLine.safeParse(value).success
}

/** JSON cannot represent bytes or integers beyond 2^53. */
export function encode(cell: Cell): unknown {
  if (typeof cell === 'bigint') return { integer: String(cell) }
  return cell instanceof Uint8Array ? { base64: Buffer.from(cell).toString('base64') } : cell
}

const decodable = z.union([
  z.string(),
  z.number(),
  z.null(),
  z.object({ integer: z.string() }).transform(({ integer }) => BigInt(integer)),
  z.object({ base64: z.base64() }).transform(({ base64 }) => Buffer.from(base64, 'base64')),
])

export function decode(value: unknown): Cell {
  if (value === null || typeof value !== 'object') return decodable.parse(value)
  const cell = decodable.safeParse(value)
  if (!cell.success) throw new BackupError('it is damaged: a value of it cannot be read')
  return cell.data
}
