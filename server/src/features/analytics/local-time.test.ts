import { queryObjects } from 'node:v8'
import { describe, expect, test } from 'vitest'
import { isTimeZone } from './local-time.ts'

describe('time zones', () => {
  test('cost no more memory the more names callers think of', () => {
    const formats = () => queryObjects(Intl.DateTimeFormat, { format: 'count' })
    const before = formats()
    // A name counts in any letter case: so many of them mean the same zone.
    for (let spelling = 0; spelling < 500; spelling++)
      expect(isTimeZone(respelt('america/indiana/indianapolis', spelling))).toBe(true)
    expect(formats() - before).toBeLessThanOrEqual(100)
  })
})

/** The name with those of its letters in upper case that have a one in the number. */
function respelt(name: string, capitals: number): string {
  return name.replaceAll(/./g, (letter, at: number) =>
    ((capitals >> at) & 1) === 1 ? letter.toUpperCase() : letter,
  )
}
