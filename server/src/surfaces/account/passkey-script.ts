import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const text = readFileSync(join(import.meta.dirname, 'passkey.js'), 'utf8')

/** The only script of these pages: browsers offer passkeys to scripts alone. */
export const passkeyScript = {
  text,
  path: '/account/passkey.js',
  /** Changes with the text, so that browsers may cache it without end. */
  version: createHash('sha256').update(text).digest('base64url').slice(0, 12),
} as const
