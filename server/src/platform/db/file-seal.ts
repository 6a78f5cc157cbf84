import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { appendFile, open } from 'node:fs/promises'

/**
 * A backup file ends with its own SHA-256: SQLite does not detect a flipped byte in a row's text. It
 * ignores the bytes after its last page.
 */
const word = 'parley sha256 '
const sealBytes = word.length + 64 + 1

export async function sealFile(file: string): Promise<void> {
  await appendFile(file, `${word}${await hashOf(file)}\n`)
}

/** @returns null for a file without a seal, else whether the file is unchanged */
export async function isSealWhole(file: string): Promise<boolean | null> {
  await using handle = await open(file)
  const end = (await handle.stat()).size - sealBytes
  if (end < 0) return null
  const { buffer } = await handle.read(Buffer.alloc(sealBytes), 0, sealBytes, end)
  const seal = buffer.toString('latin1')
  return seal.startsWith(word) ? seal === `${word}${await hashOf(file, end)}\n` : null
}

/** @param end the number of bytes to hash from the beginning; all by default */
async function hashOf(file: string, end?: number): Promise<string> {
  const hash = createHash('sha256')
  if (end === 0) return hash.digest('hex')
  const part = end === undefined ? {} : { end: end - 1 } // createReadStream includes its end
  for await (const piece of createReadStream(file, part)) hash.update(piece)
  return hash.digest('hex')
}
