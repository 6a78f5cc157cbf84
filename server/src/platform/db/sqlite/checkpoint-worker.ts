import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import type { WorkerReply, WorkerRequest } from './idle-worker.ts'
import { isBusy, isFailedSync } from './sqlite-errors.ts'

/** The thread of `Checkpoints`. */

/**
 * `copy` copies the log into the database beside the writer. `restart` copies the rest and begins the
 * log again, if no other connection uses it; the caller lets no unit run meanwhile.
 */
export type CheckpointStep = 'copy' | 'restart'

export type CheckpointAnswer =
  | { readonly hasRestarted: boolean }
  | { readonly error: unknown; readonly kind: 'busy' | 'sync' | 'other' }

// workerData is typed any; Checkpoints passes exactly this.
const { file } = workerData as { readonly file: string }

/** `synchronous=normal`: SQLite flushes the log before it copies pages, and the database after. */
function connect(): DatabaseSync {
  const raw = new DatabaseSync(file, { timeout: 0 })
  raw.exec('pragma synchronous = normal; pragma fullfsync = on')
  raw.exec('pragma wal_autocheckpoint = 0; pragma journal_size_limit = 67108864')
  return raw
}

const copier = connect()
const pin = connect()

parentPort?.on('message', ({ id, asked }: WorkerRequest<CheckpointStep>) => {
  const reply: WorkerReply<CheckpointAnswer> = { id, answer: answer(asked) }
  parentPort?.postMessage(reply)
})

function answer(step: CheckpointStep): CheckpointAnswer {
  try {
    if (step === 'restart') return { hasRestarted: restart() }
    unpin()
    // While a reader uses the log, the writer cannot begin it again, which would flush in its thread.
    pin.exec('begin; select 1 from sqlite_schema')
    checkpoint()
    return { hasRestarted: false }
  } catch (error) {
    // postMessage keeps an error's text but not its properties.
    return { error, kind: isBusy(error) ? 'busy' : isFailedSync(error) ? 'sync' : 'other' }
  }
}

/** The first commit after a complete checkpoint writes the header of a new log and flushes it. */
function restart(): boolean {
  unpin()
  if (!checkpoint()) return false
  const version = copier.prepare('pragma user_version').get()?.user_version
  copier.exec(`pragma user_version = ${Number(version)}`)
  return Number(copier.prepare('pragma wal_checkpoint(noop)').get()?.log) === 1
}

function unpin(): void {
  if (pin.isTransaction) pin.exec('rollback')
}

/** @returns whether the whole log is in the database */
function checkpoint(): boolean {
  const row = copier.prepare('pragma wal_checkpoint(passive)').get()
  return row?.busy === 0 && row.log === row.checkpointed
}
