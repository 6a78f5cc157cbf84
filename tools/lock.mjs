/**
 * A lock between processes: a file that contains the holder's process id. The holder removes it.
 * Plain JavaScript for Node 20 and later, like the scripts that use it.
 */
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Waits until no other process holds the lock, then takes it. */
export async function takeLock(lock) {
  mkdirSync(dirname(lock), { recursive: true })
  while (!tryLock(lock)) {
    if (isAbandoned(lock)) rmSync(lock, { force: true })
    else await sleep(200)
  }
}

function tryLock(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  }
}

/** True if the process that wrote the lock has ended. An empty file may be a lock that is just being written. */
function isAbandoned(lock) {
  const holder = Number(readOrEmpty(lock))
  if (holder === 0) return ageSeconds(lock) > 10
  try {
    process.kill(holder, 0)
    return false
  } catch (error) {
    return error.code === 'ESRCH'
  }
}

function ageSeconds(path) {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats === undefined ? 0 : (Date.now() - stats.mtimeMs) / 1000
}

function readOrEmpty(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return ''
    throw error
  }
}
