import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Makes a file that is either whole or not there: it is written under another name, brought to disk,
 * and then gets its own, in place of what had it.
 *
 * @param write makes the file it is told, which is not there
 */
export async function writeWhole<T>(
  target: string,
  write: (draft: string) => Promise<T>,
): Promise<T> {
  const draft = `${target}.${process.pid}.partial`
  await rm(draft, { force: true })
  try {
    const written = await write(draft)
    await syncFile(draft)
    await rename(draft, target)
    await syncFile(dirname(target))
    return written
  } finally {
    await rm(draft, { force: true })
  }
}

/** A folder is synced like a file: it holds the names. Windows can do neither and needs neither. */
export async function syncFile(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
