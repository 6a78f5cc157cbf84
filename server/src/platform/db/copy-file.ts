import { createHash, type Hash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { pipeline as pipe, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import {
  copyFormat,
  decode,
  encode,
  isTrailer,
  parseLine,
  readHeader,
  readTable,
  type HeaderLine,
  type Trailer,
} from './copy-line.ts'
import { BackupError } from './sqlite/sqlite-backup.ts'
import {
  rowsPerBatch,
  type Cell,
  type CopyHeader,
  type RowBatch,
  type RowSource,
} from './row-source.ts'

/**
 * A database copy that does not depend on the engine: JSON lines, compressed with gzip. The first
 * line is the header. Each table follows as `{"table":name}` and its rows as arrays. The last line
 * holds the number of rows and the SHA-256 of all lines before it. Bytes are `{"base64":…}`, integers
 * beyond 2^53 `{"integer":…}`.
 */

/** Writes a copy to a file that must not exist. */
export async function writeCopyFile(file: string, { header, batches }: RowSource): Promise<void> {
  let rows = 0
  async function* lines() {
    const hash = createHash('sha256')
    const first: HeaderLine = { parley: 'database copy', format: copyFormat, ...header }
    yield hashed(hash, first)
    let table: string | null = null
    for await (const batch of batches()) {
      if (batch.table !== table) yield hashed(hash, { table: (table = batch.table) })
      yield batch.rows.map((row) => hashed(hash, row.map(encode))).join('')
      rows += batch.rows.length
    }
    const trailer: Trailer = { rows, sha256: hash.digest('hex') }
    yield `${JSON.stringify(trailer)}\n`
  }
  // Only the owner may read a backup.
  const target = createWriteStream(file, { flags: 'wx', mode: 0o600 })
  await pipeline(Readable.from(lines()), createGzip(), target)
}

function hashed(hash: Hash, value: unknown): string {
  const line = `${JSON.stringify(value)}\n`
  hash.update(line)
  return line
}

/**
 * Reads a whole copy to check it, before a restore changes anything.
 *
 * @throws BackupError when it is no copy, or an incomplete one
 */
export async function openCopyFile(file: string): Promise<RowSource> {
  let header: CopyHeader | null = null
  for await (const part of readParts(file)) if ('takenAt' in part) header = part
  if (header === null) throw new BackupError('it is no backup of Parley')
  return { header, batches: () => batchesOf(file) }
}

async function* batchesOf(file: string): AsyncGenerator<RowBatch> {
  for await (const part of readParts(file)) if ('table' in part) yield part
}

/** The header, then the rows in batches. @throws BackupError at the end if the trailer disagrees */
async function* readParts(file: string): AsyncGenerator<CopyHeader | RowBatch> {
  const hash = createHash('sha256')
  let header: CopyHeader | null = null
  let table = ''
  let batch: Cell[][] = []
  let rows = 0
  let trailer: Trailer | null = null
  for await (const line of readLines(file)) {
    if (trailer !== null) throw new BackupError('it is damaged: it continues after its end')
    const value = parseLine(line)
    if (isTrailer(value)) {
      trailer = value
      continue
    }
    hash.update(`${line}\n`)
    if (header === null) yield (header = readHeader(value))
    else if (Array.isArray(value)) {
      batch.push(value.map(decode))
      rows += 1
      if (batch.length < rowsPerBatch) continue
      yield { table, rows: batch }
      batch = []
    } else {
      if (batch.length > 0) yield { table, rows: batch }
      batch = []
      table = readTable(value)
    }
  }
  if (batch.length > 0) yield { table, rows: batch }
  if (trailer === null) throw new BackupError('it is damaged: its end is missing')
  if (trailer.rows !== rows || trailer.sha256 !== hash.digest('hex'))
    throw new BackupError('it is damaged: its checksum does not match')
}

async function* readLines(file: string): AsyncGenerator<string> {
  let rest = ''
  // The loop below throws the error of either stream, so the callback can ignore it.
  const text = pipe(createReadStream(file), createGunzip(), () => undefined).setEncoding('utf8')
  try {
    for await (const piece of text) {
      const lines = (rest + String(piece)).split('\n')
      rest = lines.pop() ?? ''
      yield* lines
    }
  } catch (error) {
    const isZlib = error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
    throw isZlib ? new BackupError(`it is damaged: ${error.message}`, { cause: error }) : error
  }
  if (rest !== '') throw new BackupError('it is damaged: its end is missing')
}
