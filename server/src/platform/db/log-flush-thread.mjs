import { fdatasyncSync, fstatSync, statSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'

/**
 * The thread of `LogFlush`. It sleeps until a flush is requested, so it reads no messages.
 *
 * It is JavaScript: to strip types, each thread loads Node's stripper, which takes 9 MB and more time
 * than the rest of the start.
 */

/** @type {import('./log-flush.ts').FlushThreadData} */
const { log, file, requests } = workerData

for (let done = 0, request = 0; request >= 0; request = Atomics.load(requests, 0)) {
  // A thread may wake up without a request.
  if (request !== done) parentPort?.postMessage(flush())
  done = request
  Atomics.wait(requests, 0, done)
}

/** @returns {import('./log-flush.ts').FlushReply} */
function flush() {
  try {
    // On macOS, Node calls fcntl(F_FULLFSYNC) here.
    fdatasyncSync(file)
    refuseReplaced()
    return null
  } catch (error) {
    return { error }
  }
}

/**
 * SQLite keeps writing to the log that it has opened. If another program has replaced that file, the
 * next start finds the other one.
 */
function refuseReplaced() {
  const ours = fstatSync(file)
  const named = statSync(log, { throwIfNoEntry: false })
  if (ours.ino !== named?.ino || ours.dev !== named.dev)
    throw new Error('the write-ahead log was deleted or replaced while it was in use')
}
