import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { countRows } from '#test/security/count-rows.ts'
import { describeInstance } from '#test/support/test-instance.ts'

const page = join(import.meta.dirname, '../../../../docs/limits.md')

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
