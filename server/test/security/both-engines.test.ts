import { expect, test } from 'vitest'
import { missingEngines } from './both-engines.ts'

const run = (file: string, suite: string) => ({ file, title: `${suite} refuses it` })
const whole = [run('a.test.ts', 'a [sqlite]'), run('a.test.ts', 'a [postgres]')]

test('a table of attacks from both engines is whole', () => {
  expect(missingEngines([...whole, run('pure.test.ts', 'a rule')])).toEqual([])
})

test.each([
  ['no PostgreSQL', whole.slice(0, 1), ['the tests did not run on postgres']],
  ['no SQLite', whole.slice(1), ['the tests did not run on sqlite']],
  ['nothing', [], ['the tests did not run on sqlite', 'the tests did not run on postgres']],
])('a run with %s is refused', (_, runs, problems) => {
  expect(missingEngines(runs)).toEqual(expect.arrayContaining(problems))
})

test('a file that ran on one engine alone is named', () => {
  const runs = [...whole, run('b.test.ts', 'b [sqlite]')]
  expect(missingEngines(runs)).toEqual(['b.test.ts did not run on postgres'])
})
