import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { Fault } from '#kernel/fault.ts'
import type { Value } from './database.ts'
import { SqliteConnection } from './sqlite-connection.ts'
import { loadVectorFunctions } from './sqlite-vectors.ts'

/** The worker's side of `ScanWorker`: one read-only connection, one query at a time. */

export interface ScanRequest {
  readonly id: number
  readonly sql: string
  readonly parameters: readonly Value[]
}

export type ScanReply =
  | { readonly id: number; readonly rows: readonly unknown[] }
  | { readonly id: number; readonly error: unknown; readonly isUnavailable: boolean }

// workerData is typed any; ScanWorker passes exactly this.
const { file } = workerData as { readonly file: string }
// This thread does nothing else, so it may block inside SQLite while another process writes.
const raw = new DatabaseSync(file, { readOnly: true, timeout: 5_000, allowExtension: true })
loadVectorFunctions(raw)
const connection = new SqliteConnection(raw)

parentPort?.on('message', ({ id, sql, parameters }: ScanRequest) => {
  parentPort?.postMessage(answer(id, sql, parameters))
})

function answer(id: number, sql: string, parameters: readonly Value[]): ScanReply {
  try {
    return { id, rows: connection.run(sql, parameters).rows }
  } catch (error) {
    // postMessage keeps an error's text but not its class.
    return { id, error, isUnavailable: error instanceof Fault }
  }
}
