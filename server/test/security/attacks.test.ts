import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { attackGroups } from './attacks.ts'

const server = join(import.meta.dirname, '../..')
const attacks = attackGroups.flatMap((group) => group.attacks)
const table = readFileSync(join(server, '../docs/security-tests.md'), 'utf8')

describe('the table of attacks', () => {
  test('names each attack once', () => {
    const names = attacks.map(({ attack }) => attack)
    expect(new Set(names).size).toBe(names.length)
  })

  test.each(attacks.map((one) => [one.attack, one.tests] as const))(
    'refers to tests that exist: %s',
    (_, tests) => {
      expect(tests.length).toBeGreaterThan(0)
      for (const set of tests) {
        const { file, titles } = typeof set === 'string' ? { file: set, titles: [] } : set
        expect(existsSync(join(server, file)), file).toBe(true)
        const text = readFileSync(join(server, file), 'utf8')
        for (const title of titles) expect(text, file).toContain(title)
      }
    },
  )

  test('in the documentation has the same rows, and nothing got through', () => {
    const rows = table.split('\n').filter((line) => /^\| .* \| \d+ \| \d+ \|$/.test(line))
    const shown = rows.map((line) => line.split(' | ')[0]?.slice(2))
    expect(shown).toEqual(attacks.map(({ attack }) => attack))
    for (const row of rows) expect(row).toMatch(/ \| [1-9]\d* \| 0 \|$/)
  })
})
