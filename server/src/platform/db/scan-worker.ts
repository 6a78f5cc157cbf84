import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { Fault } from '#kernel/fault.ts'
import type { Value } from './database.ts'
import type { WorkerReply, WorkerRequest } from './idle-worker.ts'
import { SqliteConnection } from './sqlite-connection.ts'
import { loadVectorFunctions } from './sqlite-vectors.ts'

/** The worker's side of `ScanWorker`: one read-only connection, one query at a time. */

export interface ScanQuery {
  readonly sql: string
  readonly parameters: readonly Value[]
}

export type ScanAnswer =
  | { readonly rows: readonly unknown[] }
  | { readonly error: unknown; readonly isUnavailable: boolean }

// workerData is typed any; ScanWorker passes exactly this.
const { file } = workerData as { readonly file: string }
// This thread does nothing else, so it may block inside SQLite while another process writes.
const raw = new DatabaseSync(file, { readOnly: true, timeout: 5_000, allowExtension: true })
loadVectorFunctions(raw)
const connection = new SqliteConnection(raw)

parentPort?.on('message', ({ id, asked }: WorkerRequest<ScanQuery>) => {
  const reply: WorkerReply<ScanAnswer> = { id, answer: answer(asked) }
  parentPort?.postMessage(reply)
})

function answer({ sql, parameters }: ScanQuery): ScanAnswer {
  try {
    return { rows: connection.run(sql, parameters).rows }
  } catch (error) {
    // postMessage keeps an error's text but not its class.
    return { error, isUnavailable: error instanceof Fault }
  }
}
