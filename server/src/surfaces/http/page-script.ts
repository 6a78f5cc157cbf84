import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'

/** The script of a page that works without the dashboard. */
export interface PageScript {
  readonly text: string
  readonly path: string
  /** Changes with the text, so that browsers may cache it without end. */
  readonly version: string
}

/** @param file its whole path */
export function pageScript(file: string): PageScript {
  const text = readFileSync(file, 'utf8')
  const version = createHash('sha256').update(text).digest('base64url').slice(0, 12)
  return { text, path: `/account/${basename(file)}`, version }
}
