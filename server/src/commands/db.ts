import { readConfig, type Config } from '#config'
import { moveDatabase, type Moved } from '#platform/db/move/move-database.ts'
import { MoveError } from '#platform/db/move/move-sides.ts'
import type { DatabaseConfig } from '#platform/db/open-database.ts'
import { BackupError } from '#platform/db/sqlite/sqlite-backup.ts'
import { secretKeyFile } from '#platform/secret-key.ts'
import { CommandFailure, textOption, UsageError, type Command, type Output } from './command.ts'
import { explainFailures } from './explain-failure.ts'
import { makeIndex } from './make-index.ts'
import { createProgressBar } from './progress-bar.ts'

const lineEveryMs = 1_000

export const db: Command = {
  usage: 'db move --to DATABASE [--restart]',
  help: `
Copies the whole database to the other engine and verifies it: every table has the same number and the
same hash of rows on both sides before the target is put in place. The source stays as it is. Stop the
service first. A move that was interrupted continues where it was when the same command runs again.

The target must be empty. The service then needs the same secret key: without it, provider keys and
secrets cannot be decrypted.

  --to DATABASE   postgres://USER@HOST/NAME (the password can be in PGPASSWORD), or sqlite:FOLDER for
                  the data folder of an embedded database
  --restart       Remove what an interrupted move has copied, and begin again

  DATA_DIR=/var/lib/parley parley db move --to postgres://parley@db.internal/parley`,
  options: { to: { type: 'string' }, restart: { type: 'boolean' } },
  maxPositionals: 1,
  async run({ environment, stdout }, { positionals: [verb], options }) {
    const to = textOption(options, 'to')
    if (verb !== 'move' || to === undefined)
      throw new UsageError(`name a target: usage is \`parley ${db.usage}\``)
    const from = readConfig(environment)
    const target = targetOf(to, from)
    const began = Date.now()
    const moved = await inWords([from, target], () =>
      moveDatabase(from, target, {
        restart: options.restart === true,
        now: began,
        report: reportTo(stdout),
      }),
    )
    stdout.write(`${summaryOf(moved, (Date.now() - began) / 1_000)}\n`)
    const chunks = await explainFailures(target, () => makeIndex(target, from))
    if (chunks > 0) stdout.write(`${chunks} chunks of knowledge indexed\n`)
    stdout.write(nextStep(from, target, moved))
    return 0
  },
}

function targetOf(to: string, { databasePoolSize, dataDir }: Config): DatabaseConfig {
  if (/^postgres(?:ql)?:\/\//.test(to)) {
    if (!URL.canParse(to)) throw new UsageError('--to is no address of a PostgreSQL database')
    return { databaseUrl: to, databasePoolSize, dataDir }
  }
  const folder = to.replace(/^sqlite:(?:\/\/)?/, '')
  if (folder === '' || /^[a-z][a-z\d+.-]+:/i.test(folder))
    throw new UsageError('--to must begin with postgres:// or sqlite:')
  return { databaseUrl: undefined, databasePoolSize, dataDir: folder }
}

/** An error of a file is one of the SQLite side, any other one of PostgreSQL. */
async function inWords<T>(sides: readonly DatabaseConfig[], work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof MoveError || error instanceof BackupError)
      throw new CommandFailure(`the database was not moved: ${error.message}`, { cause: error })
    const isFile =
      error instanceof Error &&
      ('path' in error || ('code' in error && error.code === 'ERR_SQLITE_ERROR'))
    const side = sides.find(({ databaseUrl }) => (databaseUrl === undefined) === isFile)
    if (side === undefined) throw error
    return await explainFailures(side, () => {
      throw error
    })
  }
}

/** A bar on a terminal, else a line each second; then a line for each table that was verified. */
function reportTo(output: Output & { readonly isTTY?: boolean }) {
  const bar = createProgressBar(output, 'copying')
  let writtenAt = 0
  return {
    copied(table: string, rows: number, ofRows: number) {
      bar.show(table, ofRows === 0 ? 1 : rows / ofRows)
      if (output.isTTY === true || Date.now() - writtenAt < lineEveryMs) return
      writtenAt = Date.now()
      output.write(`${table}: ${rows} of ${ofRows} rows copied\n`)
    },
    verified(table: string, rows: number, hash: string) {
      bar.clear()
      if (rows > 0) output.write(`${table}: ${rows} rows verified, hash ${hash.slice(0, 16)}\n`)
    },
  }
}

function summaryOf({ place, tables, rows, copiedRows }: Moved, seconds: number): string {
  const rate = Math.round(copiedRows / Math.max(seconds, 0.001))
  return `moved to ${place}: ${tables} tables, ${rows} rows, verified; ${seconds.toFixed(1)} s, ${rate} rows a second`
}

function nextStep(from: Config, target: DatabaseConfig, { keyFingerprint }: Moved): string {
  const key = keyFingerprint === null ? '' : ` with fingerprint ${keyFingerprint}`
  if (target.databaseUrl === undefined)
    return `start the service with DATA_DIR=${target.dataDir} and without DATABASE_URL. It needs the same secret key${key}: SECRET_KEY, or ${secretKeyFile(target.dataDir)}\n`
  const value =
    from.secretKey === undefined
      ? `the content of ${secretKeyFile(from.dataDir)}`
      : 'the same value'
  return `start the service with DATABASE_URL set to the target. It needs the same secret key${key}: set SECRET_KEY to ${value}\n`
}
