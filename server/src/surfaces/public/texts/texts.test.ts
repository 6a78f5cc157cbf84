import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { en } from './en.ts'

const { dirname } = import.meta
const folders = [join(dirname, '..'), join(dirname, '../../../../../dashboard/chat')]
const sources = folders.flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8')),
)
const all = sources.join('\n')

describe('what visitors read', () => {
  it('contains no text that nothing shows', () => {
    const unused = Object.keys(en).filter(
      (key) => !new RegExp(`'${key}'|texts\\.${key}\\b`).test(all),
    )
    expect(unused).toEqual([])
  })
})
