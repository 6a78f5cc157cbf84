import { parentPort, workerData } from 'node:worker_threads'
import { flushLog } from './flush-log.mjs'

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
    return flushLog(log, file)
  } catch (error) {
    return { error }
  }
}
