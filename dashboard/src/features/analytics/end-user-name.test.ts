import { expect, test } from 'vitest'
import { endUserName } from './end-user-name.ts'

test.each([
  [null, 'Anonymous'],
  ['visitor:RDQ6vuKuu40ZwWVX1wHvyV', 'Visitor RDQ6vu'],
  ['visitor:', 'visitor:'],
  ['customer-1984', 'customer-1984'],
])('the end user %s is listed as %s', (endUser, name) => {
  expect(endUserName(endUser)).toBe(name)
})
