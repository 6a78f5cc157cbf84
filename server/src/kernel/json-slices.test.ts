import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isTooDeep, maxJsonLevels, parseBoundedJson, parseJson } from './json.ts'
import { parseJsonInSlices, parseOwnJson, writeJsonInSlices } from './json-slices.ts'

/** Leading white space makes a text long, so that it is parsed in slices. */
const padding = ' '.repeat(20_000)
const manyValues = 1_000_000

async function inSlices(text: string): Promise<unknown> {
  return await parseJsonInSlices(padding + text, manyValues)
}

function native(text: string): unknown {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    if (error instanceof SyntaxError) return 'refused'
    throw error
  }
}

async function sliced(text: string): Promise<unknown> {
  try {
    return { value: await inSlices(text) }
  } catch (error) {
    if (error instanceof SyntaxError) return 'refused'
    throw error
  }
}

describe('a long JSON text is parsed like a short one', () => {
  test('for every value', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json({ stringUnit: 'binary' }), async (text) => {
        expect(await sliced(text)).toEqual(native(text))
      }),
    )
  })

  test('for every text of the characters of JSON', async () => {
    const marks = [...'{}[]:,"\\1-.e0 \n\u00a0\u0001x']
    const words = ['null', 'true', '"a"', '"__proto__"', '\\u00e9', '\\ud83d']
    const token = fc.constantFrom(...marks, ...words)
    const texts = fc.array(token, { maxLength: 12 }).map((tokens) => tokens.join(''))
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        expect(await sliced(text)).toEqual(native(text))
      }),
      { numRuns: 1000 },
    )
  })

  test.each([
    ['escapes across pieces', `"${'\\u00e9\\n\\\\\\"'.repeat(30_000)}"`],
    ['a key named __proto__', '{"__proto__":{"a":1},"b":2}'],
    ['a repeated key', '{"a":1,"a":2}'],
    ['pairs of surrogates', `"${'\\ud83d\\ude00😀'.repeat(20_000)}"`],
  ])('with %s', async (_, text) => {
    const value = await inSlices(text)
    expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)))
  })
})

describe('JSON is refused', () => {
  test.each(['', padding])('if it is nested too deeply', async (before) => {
    const nested = (levels: number) => `${before}${'['.repeat(levels)}${']'.repeat(levels)}`
    await expect(parseJsonInSlices(nested(maxJsonLevels), 1000)).resolves.toBeDefined()
    const refused = parseJsonInSlices(nested(maxJsonLevels + 1), 1000)
    await expect(refused).rejects.toMatchObject({ reason: 'too_deep' })
    await expect(parseJsonInSlices(nested(1_000_000), 1000)).rejects.toThrow('too_deep')
  })

  test('if it contains too many values and keys', async () => {
    const text = `${padding}{"a":[1,2]}`
    await expect(parseJsonInSlices(text, 5)).resolves.toEqual({ a: [1, 2] })
    await expect(parseJsonInSlices(text, 4)).rejects.toThrow('too_many_values')
  })
})

test('brackets in strings are no levels', () => {
  const levels = (count: number, inner: string) => '['.repeat(count) + inner + ']'.repeat(count)
  expect(isTooDeep(levels(maxJsonLevels, '"[[[\\"[[[",{"a]":"\\\\"}'))).toBe(true)
  expect(isTooDeep(levels(maxJsonLevels - 1, '"[[[\\"[[[",{"a]":"\\\\"}'))).toBe(false)
  expect(isTooDeep(levels(maxJsonLevels - 1, '"\\\\",[[1]]'))).toBe(true)
  expect(isTooDeep(`"${'\\"'.repeat(1_000_000)}`)).toBe(false)
})

test('JSON that is parsed at once is refused with too many values or levels', () => {
  expect(parseBoundedJson('{"a":[1,2]}', 4)).toEqual({ a: [1, 2] })
  expect(() => parseBoundedJson('{"a":[1,2]}', 3)).toThrow('too_many_values')
  expect(() => parseBoundedJson('['.repeat(100_000))).toThrow('too_deep')
  expect(parseJson(`[${'0,'.repeat(50_000)}0]`)).toBeUndefined()
  expect(parseJson('{')).toBeUndefined()
})

test('other work runs while a long text is parsed', async () => {
  const text = `[${'{"a":{"b":1}},'.repeat(100_000)}0]`
  let turns = 0
  const timer = setInterval(() => (turns += 1), 1)
  await parseJsonInSlices(text, manyValues)
  clearInterval(timer)
  expect(turns).toBeGreaterThan(10)
})

describe('JSON of this service', () => {
  test('is written in slices as JSON.stringify writes it, and read again', async () => {
    const fields = fc.dictionary(fc.string(), fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue())))
    await fc.assert(
      fc.asyncProperty(fields, async (value) => {
        const written = await writeJsonInSlices({ ...value, absent: undefined, none: [undefined] })
        expect(written).toBe(JSON.stringify({ ...value, none: [undefined] }))
        expect(await parseOwnJson(padding + written)).toEqual(JSON.parse(written))
      }),
    )
  })

  test('may be nested more deeply than a request', async () => {
    const deep = '['.repeat(maxJsonLevels + 2) + ']'.repeat(maxJsonLevels + 2)
    for (const text of [deep, padding + deep])
      expect(await parseOwnJson(text)).toEqual(JSON.parse(deep))
  })
})
