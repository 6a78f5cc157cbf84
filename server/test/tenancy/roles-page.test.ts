import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { atLeast, roles } from '#kernel/actor.ts'
import { operations } from '#operations/catalogue.ts'

/** The rows of the table between the marks, as cells. */
function tableOf(page: string): string[][] {
  const table = /<!-- roles:begin -->([^]*)<!-- roles:end -->/.exec(page)?.[1] ?? ''
  const lines = table.split('\n').filter((line) => line.startsWith('|'))
  return lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  )
}

test('the page of roles has a row for each operation, and says of each role what holds', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/roles.md'), 'utf8')
  const [head, , ...rows] = tableOf(page)
  expect(head).toEqual(['Operation', ...roles])
  const expected = operations.map((operation) => [
    operation.name,
    ...roles.map((role) => (operation.personal || atLeast(role, operation.role) ? 'yes' : '')),
  ])
  expect(rows).toEqual(expected)
})
