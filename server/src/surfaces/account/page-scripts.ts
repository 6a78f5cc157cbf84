import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

interface PageScript {
  readonly text: string
  readonly path: string
  /** Changes with the text, so that browsers may cache it without end. */
  readonly version: string
}

function scriptOf(file: string): PageScript {
  const text = readFileSync(join(import.meta.dirname, file), 'utf8')
  const version = createHash('sha256').update(text).digest('base64url').slice(0, 12)
  return { text, path: `/account/${file}`, version }
}

/** Browsers offer passkeys to scripts alone. */
export const passkeyScript = scriptOf('passkey.js')

/** Copies the recovery codes. */
export const copyScript = scriptOf('copy.js')

/** Shows times in the reader's zone. */
export const timesScript = scriptOf('times.js')

/** All scripts of these pages. */
export const pageScripts = [passkeyScript, copyScript, timesScript] as const
