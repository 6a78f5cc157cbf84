import { expect, it } from 'vitest'
import { dedented, headingIn, inline, isDivider } from './markdown.ts'

it('reads headings, with and without marks at their end', () => {
  expect(headingIn('# Opening hours')).toEqual({ level: 1, text: 'Opening hours' })
  expect(headingIn('  ### C# and F# ##  ')).toEqual({ level: 3, text: 'C# and F#' })
  expect(headingIn('# ')).toEqual({ level: 1, text: '' })
  for (const line of ['#hours', '    # code', '####### seven']) expect(headingIn(line)).toBeNull()
})

it('reads the line below the head of a table', () => {
  for (const line of ['|---|---|', '--- | :-: | --:', ' | - | ']) expect(isDivider(line)).toBe(true)
  for (const line of ['| a |', '', '|', '- a']) expect(isDivider(line)).toBe(false)
})

it('reads code between runs of as many ticks, and none of a run alone', () => {
  const codesIn = (text: string) => [...text.matchAll(inline)].map(({ groups }) => groups?.['code'])
  expect(codesIn('a `b` and ``c``')).toEqual(['b', 'c'])
  for (const text of ['a ``b`', 'a `b``', '`'.repeat(50), `${'`'.repeat(50)}a`])
    expect(codesIn(text)).toEqual([])
})

it('reads long runs of ticks in little time', () => {
  const ticks = '`'.repeat(10_000)
  const before = process.cpuUsage()
  for (const text of [
    ticks,
    `${ticks}a`,
    `${ticks}a${ticks.slice(1)}`,
    '` '.repeat(10_000),
    '`` '.repeat(6000),
  ])
    for (const _ of [1, 2, 3]) expect([...text.matchAll(inline)].length).toBeGreaterThanOrEqual(0)
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(500)
})

it('moves what is below an item of a list to the left, so that code and lists in it are read', () => {
  expect(dedented(['    ```js', '    if (a)', '      b()', '', '    ```'])).toEqual([
    '```js',
    'if (a)',
    '  b()',
    '',
    '```',
  ])
})

it('reads long lines in little time', () => {
  const [space, marks] = [' '.repeat(50_000), '#'.repeat(50_000)]
  const before = process.cpuUsage()
  for (const line of [`# ${space}x`, `# a${space}x`, `# ${marks}x`, `# a ${marks} x`])
    expect(headingIn(line)).not.toBeNull()
  for (const line of [`${space}x`, `-${space}x`, `|${space}-${space}x`, `${'|-'.repeat(25_000)}x`])
    expect(isDivider(line)).toBe(false)
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(500)
})
