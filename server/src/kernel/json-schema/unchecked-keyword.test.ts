import { expect, test } from 'vitest'
import { z } from 'zod'
import { findUnchecked } from './unchecked-keyword.ts'

test.each<[unknown, string, string]>([
  ['x', '', 'is not a schema'],
  [{ nullable: true }, '/nullable', 'is not a known keyword'],
  [{ properties: { a: { optional: true } } }, '/properties/a/optional', 'is not a known keyword'],
  [{ type: 'text' }, '/type', 'does not have a known value'],
  [{ items: { minLength: '3' } }, '/items/minLength', 'does not have a known value'],
  [{ anyOf: [true, 1] }, '/anyOf/1', 'is not a schema'],
  [{ anyOf: { type: 'string' } }, '/anyOf', 'does not have a known value'],
  [{ $ref: '#/$defs/a' }, '/$ref', 'does not name a part of the schema'],
  [{ $ref: '#/$defs/%' }, '/$ref', 'does not name a part of the schema'],
  [{ $ref: 'https://example.com/s' }, '/$ref', 'does not name a part of the schema'],
  [{ $defs: { a: { $id: 'b' } } }, '/$defs/a/$id', 'is a schema of its own'],
  [{ pattern: '(' }, '/pattern', 'does not have a known value'],
  [{ pattern: 'a'.repeat(1001) }, '/pattern', 'does not have a known value'],
  [
    { patternProperties: { '(': true } },
    '/patternProperties',
    'has a name that is not a usable pattern',
  ],
  [{ multipleOf: 0 }, '/multipleOf', 'does not have a known value'],
])('of %j, what cannot be checked is found with its place', (schema, at, problem) => {
  expect(findUnchecked(schema)).toEqual({ at, problem })
})

test('a schema that is too large to be searched is found', () => {
  const properties = Object.fromEntries(Array.from({ length: 20_001 }, (_, n) => [`p${n}`, {}]))
  expect(findUnchecked({ properties })?.problem).toBe('has more than 20000 keywords')
})

test('schemas that clients generate are checked as a whole', () => {
  const model = z.object({
    mail: z.email(),
    at: z.iso.datetime().nullable().default(null),
    kind: z.discriminatedUnion('type', [
      z.object({ type: z.literal('a'), n: z.int().min(1) }),
      z.object({ type: z.literal('b'), tags: z.array(z.string().regex(/^[a-z]+$/)).max(5) }),
    ]),
    more: z.record(z.string(), z.number().multipleOf(0.01)),
    pair: z.tuple([z.string(), z.number()]),
  })
  for (const target of ['draft-2020-12', 'draft-7'] as const)
    expect(findUnchecked(z.toJSONSchema(model, { target, io: 'input' }))).toBeNull()
})
