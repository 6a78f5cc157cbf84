import { openSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import type { Database } from '#platform/db/database.ts'
import { openSqlite } from '#platform/db/sqlite/open-sqlite.ts'

/**
 * Writes units for the power-cut test, with many checkpoints, and acknowledges in a file what it has
 * learned: the units that were acknowledged to it, and those that an answer contained. Arguments: the
 * folder, and how many units each of eight writers writes.
 */
const [folder = '', rounds = ''] = process.argv.slice(2)
const file = join(folder, 'parley.sqlite')
const acknowledgements = openSync(join(folder, 'acknowledged'), 'w')
const log = pino({ level: 'error' }, pino.destination(2))

/** A short log, so that it begins again often. */
const maxLogPages = 40
const texts = ['x', 'y'.repeat(900), 'z'.repeat(6_000)]

/** A name is followed by a text of some length. */
function acknowledge(names: readonly string[]): void {
  writeSync(acknowledgements, names.map((name) => `${name.split(' ')[0]}\n`).join(''))
}

async function writeUnits(db: Database, writer: string): Promise<void> {
  for (let at = 0; at < Number(rounds); at += 1) {
    const name = `${writer}-${at} ${texts[at % texts.length]}`
    const mayWait = at % 5 === 4
    await db.write(
      async (tx) => {
        await tx.insertInto('sequences').values({ name, next_value: at }).execute()
        // An older page changes as well.
        await tx
          .updateTable('sequences')
          .set({ next_value: at })
          .where('name', 'like', `${writer}-0 %`)
          .execute()
      },
      mayWait ? { flush: 'later' } : {},
    )
    if (!mayWait) acknowledge([name])
    if (at % 3 === 0) acknowledge(await db.answer(() => namesOf(db, `${writer}-`)))
    if (at % 7 === 0) acknowledge(await namesOf(db, ''))
    if (at % 13 === 12) await nextCheckpoint()
  }
}

/** On a busy machine, a checkpoint begins later than all units could end. */
async function nextCheckpoint(): Promise<void> {
  const before = statSync(file).mtimeMs
  for (let tries = 0; tries < 100 && statSync(file).mtimeMs === before; tries += 1) await sleep(20)
}

async function namesOf(db: Database, prefix: string): Promise<string[]> {
  const rows = await db.read
    .selectFrom('sequences')
    .select('name')
    .where('name', 'like', `${prefix}%`)
    .execute()
  return rows.map(({ name }) => name)
}

/** A reader keeps the log from beginning again for some time. */
async function readLong(over: AbortSignal): Promise<void> {
  using raw = new DatabaseSync(file, { readOnly: true })
  while (!over.aborted) {
    raw.exec('begin; select * from sequences limit 1')
    await sleep(30)
    raw.exec('commit')
    await sleep(120)
  }
}

for (const session of ['first', 'second']) {
  const db = openSqlite({ file, log, maxLogPages })
  const over = new AbortController()
  const reading = readLong(over.signal)
  await Promise.all(Array.from({ length: 8 }, (_, at) => writeUnits(db, `${session}-${at}`)))
  over.abort()
  await reading
  // Closing copies the whole log and deletes it.
  await db.close()
}
