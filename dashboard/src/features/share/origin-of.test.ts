import { expect, test } from 'vitest'
import { originOf } from './origin-of.ts'

test.each([
  ['https://www.example.com', 'https://www.example.com'],
  ['Shop.example/tea?x=1', 'https://shop.example'],
  [' www.example.com ', 'https://www.example.com'],
  ['http://intranet.example:8080/', 'http://intranet.example:8080'],
  ['ftp://example.com', 'ftp://example.com'],
  ['not an address', 'not an address'],
  ['', ''],
])('the site “%s” is listed as “%s”', (typed, origin) => {
  expect(originOf(typed)).toBe(origin)
})
