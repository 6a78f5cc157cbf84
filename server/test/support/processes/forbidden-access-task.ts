import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { Worker } from 'node:worker_threads'
import type { TaskRunner } from '#platform/bounded-workers/bounded-workers.ts'

/** The files to read, one to write, and a port to dial. */
export interface ForbiddenAccess {
  readonly read: readonly string[]
  readonly write: string
  readonly port: number
}

/** Attempts everything that a bounded worker must be unable to do. */
export const runTask: TaskRunner = async function* (task) {
  const { read, write, port } = task as ForbiddenAccess // its test sends it
  yield {
    environment: Object.keys(process.env),
    read: read.map((file) => refusal(() => readFileSync(file))),
    write: refusal(() => writeFileSync(write, 'x')),
    program: refusal(() => execFileSync('true')),
    thread: refusal(() => new Worker('', { eval: true })),
    network: await dial(port),
  }
}

function refusal(attempt: () => unknown): unknown {
  try {
    attempt()
    return null
  } catch (error) {
    return codeOf(error)
  }
}

async function dial(port: number): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  try {
    const socket = connect(port, '127.0.0.1', () => resolve(null))
    socket.on('error', (error) => resolve(codeOf(error)))
  } catch (error) {
    resolve(codeOf(error))
  }
  return await promise
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : String(error)
}
