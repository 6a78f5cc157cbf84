import { join } from 'node:path'
import { html } from 'hono/html'
import type { Html } from './page.ts'
import { pageScript } from './page-script.ts'

/** Shows the times of a page in the reader's zone. */
export const timesScript = pageScript(join(import.meta.dirname, 'times.js'))

/** In UTC, until `timesScript` shows it in the reader's zone. */
export function minuteOf(time: number): Html {
  const moment = new Date(time).toISOString()
  return html`<time datetime="${moment}">${moment.slice(0, 16).replace('T', ' ')} UTC</time>`
}
