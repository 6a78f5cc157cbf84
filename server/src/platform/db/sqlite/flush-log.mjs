import { fdatasyncSync, fstatSync, statSync } from 'node:fs'

/**
 * Flushes the write-ahead log. It is JavaScript for `log-flush-thread.mjs`.
 *
 * @param {string} log its path
 * @param {number} file the open log
 * @returns {number} how many milliseconds the disk took
 * @throws Error also if another program has replaced the log: SQLite keeps writing to the file that it
 *   has opened, and the next start finds the other one
 */
export function flushLog(log, file) {
  const startedAt = performance.now()
  // On macOS, Node calls fcntl(F_FULLFSYNC) here.
  fdatasyncSync(file)
  const ms = performance.now() - startedAt
  const ours = fstatSync(file)
  const named = statSync(log, { throwIfNoEntry: false })
  if (ours.ino !== named?.ino || ours.dev !== named.dev)
    throw new Error('the write-ahead log was deleted or replaced while it was in use')
  return ms
}
