import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { checkSchema, SchemaTooComplex } from './check-schema.ts'

const person = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 3 },
    age: { type: ['integer', 'null'], minimum: 0, exclusiveMaximum: 150 },
    tags: {
      type: 'array',
      items: { enum: ['a', 'b', { c: 1, d: 2 }] },
      maxItems: 3,
      uniqueItems: true,
    },
    friend: { $ref: '#' },
    place: { $ref: '#/$defs/a~1b' },
    step: { multipleOf: 0.5 },
    pair: { prefixItems: [{ const: 1 }], items: false },
    either: { anyOf: [{ type: 'string' }, { type: 'array', minItems: 1 }] },
    one: { oneOf: [{ minimum: 5 }, { maximum: 7 }], not: { const: 9 } },
    kind: { if: { const: 'x' }, else: { type: 'number' } },
  },
  required: ['name'],
  additionalProperties: false,
  $defs: { 'a/b': { type: 'object', minProperties: 1, additionalProperties: { type: 'number' } } },
}

describe('a check finds what a complete validator finds', () => {
  const names: unknown[] = [
    { name: 'Ada' },
    { name: '' },
    { name: 'long' },
    { name: '👩‍👩' },
    {},
    [],
    null,
    'x',
    { name: 'A', more: 1 },
  ]
  const parts = {
    age: [3, null, 3.5, -1, 150, '3'],
    tags: [[], ['a'], ['a', 'a'], ['z'], [{ d: 2, c: 1 }], ['a', 'b', { c: 1, d: 2 }, 'b'], {}],
    friend: [{ name: 'Bo' }, { name: 'Bo', friend: {} }, 5],
    place: [{ x: 1 }, {}, { x: 'y' }],
    step: [1.5, 1.3, 'z'],
    pair: [[1], [1, 2], [2], []],
    either: ['x', [1], [], 5],
    one: [4, 6, 8, 9, 'x'],
    kind: ['x', 5, 'y'],
  }
  const fields = Object.entries(parts).flatMap(([field, list]) =>
    list.map((one) => ({ name: 'Ada', [field]: one })),
  )
  const validate = new Ajv2020({ strict: false }).compile(person)
  test.each([...names, ...fields].map((value) => [value]))('%j', (value) => {
    expect(checkSchema(person, value) === null).toBe(validate(value))
  })
})

test('the problem names the place', () => {
  expect(checkSchema(person, { name: 'Ada', tags: ['a', 5] })).toMatch(/^\/tags\/1 must be one of/)
  expect(checkSchema(person, { name: 'Ada', friend: {} })).toBe('/friend must have name')
})

test('a schema of exponential cost and one that refers to itself end with an error', () => {
  const names = Array.from({ length: 40 }, (_, n) => n)
  const $defs = Object.fromEntries(
    names.map((n) => [
      `d${n}`,
      { allOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
    ]),
  )
  expect(() => checkSchema({ $ref: '#/$defs/d0', $defs }, 1)).toThrow(SchemaTooComplex)
  expect(() => checkSchema({ $ref: '#' }, 1)).toThrow(SchemaTooComplex)
})

test('patterns of the caller are not run', () => {
  expect(checkSchema({ pattern: '^(a+)+$' }, `${'a'.repeat(40)}!`)).toBeNull()
})
