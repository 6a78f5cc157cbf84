import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { variables } from '#config'
import { fixedLimits, limits } from '#kernel/limits.ts'
import { countRows } from '#test/security/count-rows.ts'
import { describeInstance } from '#test/support/test-instance.ts'

const page = join(import.meta.dirname, '../../../../docs/limits.md')

test('docs/limits.md names limits and variables that exist, and every limit', async () => {
  const text = await readFile(page, 'utf8')
  const rows = text.slice(text.indexOf('## What bounds each table')).split('\n').filter(isRow)
  const words = rows.flatMap((row) => [...row.matchAll(/`(\w+)/g)].map(([, word = '']) => word))
  const named = new Set(words)
  const unknown = [...named].filter((word) =>
    word.includes('_per_')
      ? !Object.hasOwn(limits, word) && !Object.hasOwn(fixedLimits, word)
      : /^[A-Z_]+$/.test(word) && !Object.hasOwn(variables, word),
  )
  expect(unknown).toEqual([])
  expect(Object.keys(limits).filter((limit) => !named.has(limit))).toEqual([])
})

function isRow(line: string): boolean {
  return line.startsWith('| `')
}

describeInstance('docs/limits.md', (open) => {
  test('says of every table what bounds it', async () => {
    const text = await readFile(page, 'utf8')
    const listed = [...text.matchAll(/^\| `([a-z_]+)` +\| *(\S.*?) *\|/gm)]
    const bounds = new Map(listed.map(([, table, bound]) => [table, bound]))
    const { ctx } = await open()
    const tables = Object.keys(await countRows(ctx.db))
    expect(tables.length).toBeGreaterThan(50)
    expect(tables.filter((table) => !bounds.has(table))).toEqual([])
    expect(listed.filter(([line]) => /no bound/i.test(line))).toEqual([])
  })
})
