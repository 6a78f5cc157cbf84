import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'

/** Runs in a process of its own, whose heap holds little else. Prints how many formats are kept. */
const script = `
import { queryObjects } from 'node:v8'
import { isTimeZone } from ${JSON.stringify(new URL('local-time.ts', import.meta.url).href)}

const respelt = (name, capitals) =>
  name.replaceAll(/./g, (letter, at) => ((capitals >> at) & 1) === 1 ? letter.toUpperCase() : letter)
let known = 0
// Names are case-insensitive, so many spellings mean the same zone.
for (let spelling = 0; spelling < 500; spelling++)
  if (isTimeZone(respelt('america/indiana/indianapolis', spelling))) known += 1
console.log(JSON.stringify({ known, kept: queryObjects(Intl.DateTimeFormat, { format: 'count' }) }))
`

describe('names of time zones', () => {
  test('use no more memory the more of them callers send', async () => {
    const args = ['--no-warnings', '--input-type=module', '--eval', script]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    const { known, kept } = JSON.parse(stdout)
    expect(known).toBe(500)
    expect(kept).toBeLessThanOrEqual(101) // and the prototype of them all
  })
})
