import { expect, test } from 'vitest'
import { isAtLeast } from './workspace.ts'

test('a role may do what the roles below it may do, and nothing more', () => {
  expect(isAtLeast('owner', 'admin')).toBe(true)
  expect(isAtLeast('editor', 'editor')).toBe(true)
  expect(isAtLeast('editor', 'admin')).toBe(false)
  expect(isAtLeast('viewer', 'editor')).toBe(false)
})
