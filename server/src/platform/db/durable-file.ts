import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Creates a file that is either complete or absent: it is written under another name, flushed to
 * disk, and then renamed, which replaces an existing file.
 *
 * @param write creates the draft, which does not exist yet
 */
export async function writeWhole<T>(
  target: string,
  write: (draft: string) => Promise<T>,
): Promise<T> {
  return await withDraft(`${target}.${process.pid}.partial`, async (draft) => {
    const written = await write(draft)
    await syncFile(draft)
    await rename(draft, target)
    await syncFile(dirname(target))
    return written
  })
}

/** Ensures that `draft` does not exist before `use`, and removes what remains of it afterwards. */
export async function withDraft<T>(draft: string, use: (draft: string) => Promise<T>): Promise<T> {
  await rm(draft, { force: true })
  try {
    return await use(draft)
  } finally {
    await rm(draft, { force: true })
  }
}

/** Flushes a file, or a folder with the names in it. Windows cannot do this and does not need it. */
export async function syncFile(path: string): Promise<void> {
  if (process.platform === 'win32') return
  await using handle = await open(path, 'r')
  await handle.sync()
}
