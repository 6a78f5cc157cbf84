import { sql } from 'kysely'
import type { Logger } from 'pino'
import { systemClock, type Clock } from './clock.ts'
import type { Database } from './db/database.ts'

const everyMs = 10_000
/** A slower answer says too little about the time; the next one is used instead. */
const slowestMs = 1_000
/** From this difference on, an operator should know. */
const notableMs = 5_000

export interface DatabaseClock extends Clock {
  close(): void
}

/**
 * The time of PostgreSQL. Processes on several machines share its leases and jobs, and with clocks that
 * differ, one would take over what another still holds. Between two readings, the time that has passed
 * here is added, so that a change of the machine's own clock has no effect.
 *
 * SQLite serves one machine, whose clock it is.
 */
export async function openDatabaseClock(db: Database, log: Logger): Promise<DatabaseClock> {
  if (db.engine === 'sqlite') return { ...systemClock, close: () => undefined }
  let offset = await readOffset(db)
  const ownOffset = Date.now() - performance.now()
  if (Math.abs(offset - ownOffset) >= notableMs)
    log.warn(
      { seconds: Math.round((ownOffset - offset) / 1000) },
      'the clock of this machine differs from that of PostgreSQL, which is used',
    )
  const timer = setInterval(() => {
    const renewed = readOffset(db, slowestMs).then((read) => (offset = read))
    renewed.catch((err: unknown) => log.debug({ err }, 'the time of PostgreSQL was not read'))
  }, everyMs).unref()
  return {
    now: () => Math.round(offset + performance.now()),
    close: () => clearInterval(timer),
  }
}

/** What is to be added to `performance.now()`; half of the time of an answer is its way back. */
async function readOffset(db: Database, mostMs = Number.POSITIVE_INFINITY): Promise<number> {
  const askedAt = performance.now()
  const { rows } = await sql<{ now: number }>`
    select extract(epoch from clock_timestamp()) * 1000 as now`.execute(db.read)
  const answeredAt = performance.now()
  const [row] = rows
  if (row === undefined || answeredAt - askedAt > mostMs)
    throw new Error('the time of PostgreSQL is not known exactly enough')
  return row.now - (askedAt + answeredAt) / 2
}
