import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { comparedWithKnown, knownFaults } from './known-faults.ts'

const files = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith('.faults.test.ts'))
  .map((name) => ({ name, text: readFileSync(join(import.meta.dirname, name), 'utf8') }))

const all = Object.entries(knownFaults).flatMap(([fault, engines]) =>
  engines.map((engine) => ({ fault, engine })),
)

test.each(files)('$name records its fault', ({ text }) => {
  expect(text).toMatch(/\brecordFault\(\{/)
})

test('every known fault is recorded by a test', () => {
  const texts = files.map(({ text }) => text).join('\n')
  expect(Object.keys(knownFaults).filter((fault) => !texts.includes(fault))).toEqual([])
})

test('a run without one of the known faults on one of its engines is not whole', () => {
  expect(comparedWithKnown(all)).toEqual({ missing: [], unknown: [] })
  const fault = 'A full disk'
  const rest = all.filter((one) => one.fault !== fault || one.engine !== 'postgres')
  expect(comparedWithKnown(rest)).toEqual({ missing: ['A full disk [postgres]'], unknown: [] })
  const other = { fault: 'A meteorite', engine: 'sqlite' } as const
  expect(comparedWithKnown([...all, other]).unknown).toEqual(['A meteorite [sqlite]'])
})
