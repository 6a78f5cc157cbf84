import { expect, it } from 'vitest'
import { dedented, headingIn, inline, isDivider, readMarkdown } from './markdown.ts'

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

it('reads blocks into a tree', () => {
  const text =
    '# Paying\n\nBy **card** or:\n\n1. cash\n2. `SEPA`\n\n| a | b |\n|---|---|\n| x \\| y | z |'
  expect(readMarkdown(text)).toEqual([
    { tag: 'h3', children: ['Paying'] },
    { tag: 'p', children: ['By ', { tag: 'strong', children: ['card'] }, ' or:'] },
    {
      tag: 'ol',
      start: 1,
      children: [
        { tag: 'li', children: ['cash'] },
        { tag: 'li', children: [{ tag: 'code', children: ['SEPA'] }] },
      ],
    },
    {
      tag: 'table',
      children: [
        { tag: 'thead', children: [rowOf('th', ['a'], ['b'])] },
        { tag: 'tbody', children: [rowOf('td', ['x ', '|', ' y'], ['z'])] },
      ],
    },
  ])
})

const rowOf = (tag: 'th' | 'td', ...cells: readonly string[][]) => ({
  tag: 'tr',
  children: cells.map((children) => ({ tag, children })),
})

it('reads references, and links only to web and mail addresses', () => {
  expect(readMarkdown('See [2] and [us](https://example.com), not [this](javascript:x).')).toEqual([
    {
      tag: 'p',
      children: [
        'See ',
        { number: 2 },
        ' and ',
        { tag: 'a', href: 'https://example.com/', children: ['us'] },
        ', not ',
        'this',
        '.',
      ],
    },
  ])
})

it('leaves markup of HTML and escaped signs as they are', () => {
  const [paragraph] = readMarkdown('<b>2 \\* 3</b>')
  expect(paragraph).toEqual({ tag: 'p', children: ['<b>2 ', '*', ' 3</b>'] })
})

it('leaves a quote that is too deep as text, so that nothing that was written is lost', () => {
  const marks = '>'.repeat(4000)
  expect(readMarkdown(marks)).toEqual([{ tag: 'p', children: [marks] }])
  expect(readMarkdown('> > a')).toEqual([
    {
      tag: 'blockquote',
      children: [{ tag: 'blockquote', children: [{ tag: 'p', children: ['a'] }] }],
    },
  ])
})

it('reads texts that stop other parsers in little time', () => {
  const before = process.cpuUsage()
  for (const text of [
    '>'.repeat(100_000),
    `${'- '.repeat(50_000)}a`,
    '  - '.repeat(20_000),
    `${'*a'.repeat(900)}${'a*'.repeat(900)}`,
    '['.repeat(100_000),
    '**a '.repeat(5000),
    '~~'.repeat(10_000),
    Array.from({ length: 400 }, (_, depth) => `${' '.repeat(depth)}- a`).join('\n'),
  ])
    expect(readMarkdown(text).length).toBeGreaterThan(0)
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(1500)
})
