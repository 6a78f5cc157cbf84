import { randomBytes } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeDataFolder } from './data-folder.ts'

const keyPattern = /^[0-9a-f]{64}$/i

export function secretKeyFile(dataDir: string): string {
  return join(dataDir, 'secret.key')
}

/**
 * The key in the data folder: 64 hexadecimal characters, or undefined when there is none.
 *
 * @throws Error when the file contains something else
 */
export async function readSecretKey(dataDir: string): Promise<string | undefined> {
  const path = secretKeyFile(dataDir)
  try {
    const key = (await readFile(path, 'utf8')).trim()
    if (keyPattern.test(key)) return key
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined
    throw error
  }
  throw new Error(`${path} does not hold 64 hexadecimal characters`)
}

/**
 * Creates a key in a file that only this user can read. When two processes start at the same time,
 * one creates the key and the other reads it.
 */
export async function createSecretKey(dataDir: string): Promise<string> {
  makeDataFolder(dataDir)
  const key = randomBytes(32).toString('hex')
  // The key is written to a draft and then linked to its name, so it is always complete there.
  // Linking fails if another process was first.
  const draft = `${secretKeyFile(dataDir)}.${process.pid}`
  try {
    await writeFile(draft, `${key}\n`, { mode: 0o600, flush: true })
    await link(draft, secretKeyFile(dataDir))
    return key
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error
    const other = await readSecretKey(dataDir)
    if (other === undefined) throw error
    return other
  } finally {
    await rm(draft, { force: true })
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
