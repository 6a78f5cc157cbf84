import { expect, test } from 'vitest'
import { usesOnly } from './uses-only.ts'

const known = ['$defs', '$ref', 'additionalProperties', 'anyOf', 'items', 'properties', 'type']
const text = { type: 'string' }

test.each([
  [true, { type: 'object', properties: { pattern: text }, additionalProperties: false }],
  [true, { title: 'It', type: 'array', items: { description: 'One', anyOf: [text, text] } }],
  [true, { $defs: { a: text }, $ref: '#/$defs/a' }],
  [false, { type: 'string', pattern: 'a' }],
  [false, { type: 'object', properties: { a: { type: 'array', items: { pattern: 'a' } } } }],
  [false, { $defs: { a: { pattern: 'a' } }, $ref: '#/$defs/a' }],
  [false, { anyOf: [text, { pattern: 'a' }] }],
  [false, { type: 'object', additionalProperties: { pattern: 'a' } }],
  // Providers read one of them and pass over the other.
  [false, { anyOf: [text, text], properties: { a: text } }],
  [false, { $ref: '#/$defs/a', type: 'string' }],
  [false, { properties: { a: 1 } }],
])('it is %s that nothing but known keywords describe %j', (expected, schema) => {
  expect(usesOnly(schema, known)).toBe(expected)
})
