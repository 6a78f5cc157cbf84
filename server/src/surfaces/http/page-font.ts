import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Http } from './environment.ts'

const file = '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'
const bytes = readFileSync(fileURLToPath(import.meta.resolve(file)))

/** The font of the dashboard, for the pages that work without it. */
export const pageFont = {
  bytes,
  path: '/account/inter.woff2',
  /** Changes with the file, so that browsers may cache it without end. */
  version: createHash('sha256').update(bytes).digest('base64url').slice(0, 12),
} as const

/**
 * Letters outside of Latin come from the system's font.
 *
 * @param address of the font, as the style sheet names it
 */
export function fontFace(address: string): string {
  return `@font-face {
  font-family: 'Inter Variable';
  font-weight: 100 900;
  font-display: swap;
  src: url('${address}?v=${pageFont.version}') format('woff2-variations');
  unicode-range: U+0000-00FF, U+0131, U+0152-0153, U+02BB-02BC, U+02C6, U+02DA, U+02DC, U+0304,
    U+0308, U+0329, U+2000-206F, U+20AC, U+2122, U+2191, U+2193, U+2212, U+2215, U+FEFF, U+FFFD;
}
`
}

/** Browsers load fonts with CORS, and the chat page has an opaque origin. */
export function answerFont(c: Http): Response {
  c.header('Access-Control-Allow-Origin', '*')
  c.header('Cache-Control', 'public, max-age=31536000, immutable')
  c.header('X-Content-Type-Options', 'nosniff')
  return c.body(pageFont.bytes, 200, { 'Content-Type': 'font/woff2' })
}
