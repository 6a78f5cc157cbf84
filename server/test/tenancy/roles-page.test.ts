import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { atLeast, roles } from '#kernel/actor.ts'
import { operations } from '#operations/catalogue.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/roles.md'), 'utf8')

/** The cells of the table between two markers, by row. */
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

test('docs/roles.md has a row for each operation that a role allows, and shows each role’s permission', () => {
  const [head, , ...rows] = tableOf('roles')
  expect(head).toEqual(['Operation', ...roles])
  const ofRoles = operations.filter(({ operatorOnly }) => !operatorOnly)
  const expected = ofRoles.map((operation) => [
    operation.name,
    ...roles.map((role) => (operation.personal || atLeast(role, operation.role) ? 'yes' : '')),
  ])
  expect(rows).toEqual(expected)
})

test('operations that no role allows are listed separately, for operators', () => {
  const [, , ...rows] = tableOf('operator')
  const names = operations.filter(({ operatorOnly }) => operatorOnly).map(({ name }) => name)
  expect(names).not.toEqual([])
  expect(rows.map(([name]) => name)).toEqual(names)
})
