import { expect, test } from 'vitest'
import { advisoriesOf, licenceProblems, whyUnanswered } from '../../../tools/audit-rules.ts'

test.each(['MIT', 'Apache-2.0', 'MIT OR Apache', '(MIT OR GPL-3.0-or-later)', '(MIT AND Zlib)'])(
  'the licence %s is allowed',
  (license) => {
    expect(licenceProblems([['node_modules/a', { license, version: '1.0.0' }]])).toEqual([])
  },
)

test.each(['GPL-3.0-or-later', 'MIT AND GPL-3.0-only', 'UNLICENSED', 'SEE LICENSE IN LICENSE', ''])(
  'the licence %j is not allowed',
  (license) => {
    const found = licenceProblems([['node_modules/b/node_modules/@a/b', { license }]])
    expect(found).toEqual([expect.stringContaining('@a/b')])
  },
)

test('a package without a licence is not allowed', () => {
  expect(licenceProblems([['node_modules/a', {}]])).toHaveLength(1)
})

test('each advisory is one line, and packages that only depend on it are not repeated', () => {
  const cause = { title: 'Prototype pollution', url: 'https://example.com/advisory' }
  const vulnerabilities = {
    inner: { severity: 'high', range: '<2', via: [cause] },
    outer: { severity: 'high', range: '<9', via: ['inner'] },
  }
  expect(advisoriesOf(JSON.stringify({ vulnerabilities }))).toEqual([
    'inner <2: high, Prototype pollution (https://example.com/advisory)',
  ])
  expect(advisoriesOf('{"vulnerabilities":{}}')).toEqual([])
})

test.each(['', 'not json', '{"message":"405 Method Not Allowed","statusCode":405}'])(
  'a registry that answers %j was not asked successfully: that is not the same as no advisory',
  (output) => {
    expect(advisoriesOf(output)).toBeNull()
  },
)

test.each([
  [
    '{"message":"405 Method Not Allowed - POST https://registry.example/bulk","statusCode":405}',
    'the registry answers 405 Method Not Allowed',
  ],
  ['{"message":"","statusCode":503}', 'the registry answers 503'],
  ['{"message":"request to https://registry.example failed"}', 'the registry cannot be reached'],
  ['', 'the registry cannot be reached'],
])('of the answer %j the reason is shown without an address: %s', (output, reason) => {
  expect(whyUnanswered(output)).toBe(reason)
})
