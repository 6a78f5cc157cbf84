import { randomBytes } from 'node:crypto'
import { link, open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeDataFolder } from './data-folder.ts'

const keyPattern = /^[0-9a-f]{64}$/i

export function secretKeyFile(dataDir: string): string {
  return join(dataDir, 'secret.key')
}

/**
 * The key in the data folder: 64 hexadecimal characters, or undefined when there is none.
 *
 * @throws Error when the file holds something else
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
 * Makes a key and keeps it where only this user can read it. Of two processes that start at once
 * one makes the key and the other reads it.
 */
export async function createSecretKey(dataDir: string): Promise<string> {
  makeDataFolder(dataDir)
  const key = randomBytes(32).toString('hex')
  // A key that exists is whole: it is written aside, then linked into place, which fails if
  // another was there first.
  const draft = `${secretKeyFile(dataDir)}.${process.pid}`
  try {
    await writeDurably(draft, `${key}\n`)
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

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'w', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
