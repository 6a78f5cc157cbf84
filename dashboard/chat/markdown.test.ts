import { expect, it } from 'vitest'
import { headingIn, isDivider } from './markdown.ts'

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

it('reads long lines in little time', () => {
  const [space, marks] = [' '.repeat(50_000), '#'.repeat(50_000)]
  const before = process.cpuUsage()
  for (const line of [`# ${space}x`, `# a${space}x`, `# ${marks}x`, `# a ${marks} x`])
    expect(headingIn(line)).not.toBeNull()
  for (const line of [`${space}x`, `-${space}x`, `|${space}-${space}x`, `${'|-'.repeat(25_000)}x`])
    expect(isDivider(line)).toBe(false)
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(500)
})
