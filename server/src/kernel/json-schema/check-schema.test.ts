import { Ajv } from 'ajv'
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

test('patterns run only where the caller of the check says so', () => {
  const schema = { pattern: '^a+$', patternProperties: { '^b': { type: 'number' } } }
  expect(() => checkSchema(schema, 'a')).toThrow(SchemaTooComplex)
  expect(() => checkSchema(schema, { b: 1 })).toThrow(SchemaTooComplex)
  const check = (value: unknown) => checkSchema(schema, value, { runsPatterns: true })
  expect([check('aa'), check({ b: 1, c: 'x' })]).toEqual([null, null])
  expect(check('ab')).toBe('the value must match the pattern ^a+$')
  expect(check({ b: 'x' })).toBe('/b must be number')
})

describe('a check finds the same as a complete validator for', () => {
  const types = { $defs: { pair: { $anchor: 'pair', properties: { a: { type: 'number' } } } } }
  const values: unknown[] = [
    {},
    { a: 1 },
    { a: 'x' },
    { a: 1, b: 2 },
    { b: 2 },
    { b: 2, c: 3 },
    [1],
    ['x', 1],
    [1, 'x', 2],
    ['x', { a: 1 }],
  ]
  const schemas = {
    anchor: { $ref: '#pair', ...types },
    unevaluatedProperties: {
      allOf: [{ properties: { a: true } }],
      anyOf: [{ required: ['a'] }, { required: ['b'], properties: { b: true } }],
      unevaluatedProperties: false,
    },
    contains: { contains: { type: 'number' }, minContains: 1, maxContains: 1 },
    propertyNames: { propertyNames: { enum: ['a', 'b'] } },
    dependentRequired: { dependentRequired: { a: ['b'] } },
    dependentSchemas: { dependentSchemas: { a: { maxProperties: 1 } } },
  }
  const ajv = new Ajv2020({ strict: false })
  test.each(Object.entries(schemas))('%s', (_, schema) => {
    const validate = ajv.compile(schema)
    const expected = values.map((value) => validate(value))
    expect(values.map((value) => checkSchema(schema, value) === null)).toEqual(expected)
    expect(new Set(expected).size).toBe(2)
  })

  // What the other validator does not follow.
  test.each([
    ['a dynamic reference', { $dynamicRef: '#pair', ...types }, [2]],
    [
      'unevaluatedProperties with a reference and a condition',
      {
        $ref: '#/$defs/pair',
        if: { not: { required: ['b'] } },
        else: { properties: { b: true } },
        unevaluatedProperties: { type: 'string' },
        ...types,
      },
      [2, 5],
    ],
    [
      'unevaluatedItems beside contains',
      { prefixItems: [true], contains: { type: 'number' }, unevaluatedItems: false },
      [8, 9],
    ],
  ])('%s, as the standard defines it', (_, schema, wrong) => {
    const found = values.flatMap((value, n) => (checkSchema(schema, value) === null ? [] : [n]))
    expect(found).toEqual(wrong)
  })

  test('the older words for lists and dependencies', () => {
    const schema = {
      items: [{ type: 'string' }],
      additionalItems: { type: 'number' },
      dependencies: { a: ['b'], b: { maxProperties: 1 } },
    }
    const found = values.map((value) => checkSchema(schema, value) === null)
    const validate = new Ajv({ strict: false }).compile(schema)
    expect(found).toEqual(values.map((value) => validate(value)))
  })
})

test('0.07 is a multiple of 0.01, 0.075 is none', () => {
  expect(checkSchema({ multipleOf: 0.01 }, 0.07)).toBeNull()
  expect(checkSchema({ multipleOf: 0.01 }, 0.075)).toBe('the value must be a multiple of 0.01')
  expect(checkSchema({ multipleOf: 1 }, 1e15 + 0.5)).not.toBeNull()
})

describe('the work that a schema makes counts, too', () => {
  const many = Array.from({ length: 20_000 }, (_, n) => n)
  const ones = Array.from({ length: 20_000 }, () => 1)
  const text = 'x'.repeat(1_000_000)
  test.each<[string, unknown, unknown]>([
    ['a long enum', { items: { not: { enum: many } } }, ones],
    ['a long constant', { items: { not: { const: text } } }, [text]],
    ['a long list of types', { items: { type: many.map(() => 'null') } }, ones],
    ['a long list of required names', { items: { required: many.map(() => 'a') } }, [{ a: 1 }]],
    ['a long reference', { items: { $ref: `#/${'a/'.repeat(500_000)}` } }, ones],
    ['the length of a long text', { allOf: many.map(() => ({ minLength: 1 })) }, text],
    ['items that must differ', { uniqueItems: true }, many.map((n) => ({ n }))],
  ])('%s', (_, schema, value) => {
    expect(() => checkSchema(schema, value)).toThrow(SchemaTooComplex)
  })
})
