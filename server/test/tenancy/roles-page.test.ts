import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { atLeast, roles } from '#kernel/actor.ts'
import { operations } from '#operations/catalogue.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/roles.md'), 'utf8')

/** The rows of the table between two marks, as cells. */
function tableOf(name: string): string[][] {
  const marks = new RegExp(`<!-- ${name}:begin -->([^]*)<!-- ${name}:end -->`)
  const table = marks.exec(page)?.[1] ?? ''
  const lines = table.split('\n').filter((line) => line.startsWith('|'))
  return lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  )
}

test('the page of roles has a row for each operation that a role brings, and says of each role what holds', () => {
  const [head, , ...rows] = tableOf('roles')
  expect(head).toEqual(['Operation', ...roles])
  const ofRoles = operations.filter(({ operatorOnly }) => !operatorOnly)
  const expected = ofRoles.map((operation) => [
    operation.name,
    ...roles.map((role) => (operation.personal || atLeast(role, operation.role) ? 'yes' : '')),
  ])
  expect(rows).toEqual(expected)
})

test('what no role brings stands apart, for those who run the instance', () => {
  const [, , ...rows] = tableOf('operator')
  const names = operations.filter(({ operatorOnly }) => operatorOnly).map(({ name }) => name)
  expect(names).not.toEqual([])
  expect(rows.map(([name]) => name)).toEqual(names)
})
