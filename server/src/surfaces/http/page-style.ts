import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const text = readFileSync(join(import.meta.dirname, 'page.css'), 'utf8')
const version = createHash('sha256').update(text).digest('base64url').slice(0, 12)

/** The one stylesheet of the pages that work without the dashboard. */
export const pageStyle = {
  text,
  path: '/account/style.css',
  /** Changes with the text, so that browsers may keep it for ever. */
  version,
} as const

/** The mark, as the browser's tab shows it. */
export const pageIcon = {
  path: '/account/icon.svg',
  text: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path fill="#3d4ed6" d="M6 4h14a4 4 0 0 1 4 4v7a4 4 0 0 1-4 4h-7l-6 5v-5H6a4 4 0 0 1-4-4V8a4 4 0 0 1 4-4z"/><path fill="#e2793f" d="M26 12a4 4 0 0 1 4 4v6a4 4 0 0 1-4 4h-1v4l-5-4h-5a4 4 0 0 1-4-4h9a7 7 0 0 0 6-7z"/></svg>`,
} as const
