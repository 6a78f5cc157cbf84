import { statfsSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** `disk` is for tests that measure how long a flush delays others. */
export type Storage = 'memory' | 'disk'

const sharedMemory = '/dev/shm'

/** Far more than a run needs. Containers often allow only 64 MB. */
const leastFreeBytes = 4 * 1024 ** 3

/**
 * Creates a folder for the data of a test. It is in memory where the machine offers enough, because
 * SQLite flushes each commit, and a disk spends more time on that than most tests spend on the rest.
 * The caller removes it.
 */
export async function temporaryFolder(prefix: string, storage: Storage): Promise<string> {
  return await mkdtemp(join(storage === 'memory' ? memoryFolder() : tmpdir(), prefix))
}

/** The parent of folders in memory, or the usual one where the machine offers too little. */
export function memoryFolder(): string {
  // Set by the tiers whose tests are about disks (vitest.config.ts), and by developers who choose.
  if (process.env.TEST_STORAGE === 'disk' || process.platform !== 'linux') return tmpdir()
  const { bavail, bsize } = statfsSync(sharedMemory)
  return bavail * bsize >= leastFreeBytes ? sharedMemory : tmpdir()
}
