import { expect, test } from 'vitest'
import { en } from './en.ts'
import { t } from './t.ts'

test('a text gets its values', () => {
  expect(t('agents.created', { name: 'Shop' })).toBe('Agent Shop is ready')
})

test('a text with forms by number takes the form of its count', () => {
  expect(t('agents.count', { count: 1 })).toBe('1 agent')
  expect(t('agents.count', { count: 2 })).toBe('2 agents')
  expect(t('agents.count', { count: 0 })).toBe('0 agents')
})

test('a value is inserted as it is, even if it looks like a placeholder', () => {
  expect(t('agents.created', { name: '{name}' })).toBe('Agent {name} is ready')
})

test('no text contains an empty or unbalanced placeholder', () => {
  const broken = leaves(en).filter((text) => /\{\}|\{[^}]*$|^[^{]*\}/.test(text))
  expect(broken).toEqual([])
})

function leaves(node: unknown): readonly string[] {
  if (typeof node === 'string') return [node]
  return Object.values(node as object).flatMap(leaves)
}
