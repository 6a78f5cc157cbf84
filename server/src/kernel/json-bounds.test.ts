import { describe, expect, test } from 'vitest'
import { JsonBounds } from './json-bounds.ts'
import { maxJsonLevels } from './json.ts'

function read(text: string, options: Partial<ConstructorParameters<typeof JsonBounds>[0]> = {}) {
  const bounds = new JsonBounds({ mostValues: 100, maxEventBytes: null, ...options })
  // Byte by byte, because packets may end anywhere.
  for (const byte of Buffer.from(text)) bounds.read(Uint8Array.of(byte))
}

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

describe('JSON that arrives in packets', () => {
  test('is refused when it is nested too deeply', () => {
    expect(() => read(nested(maxJsonLevels))).not.toThrow()
    expect(() => read(nested(maxJsonLevels + 1))).toThrow('too_deep')
  })

  test('is refused when it has too many values', () => {
    expect(() => read(`[${'0,'.repeat(99)}0]`)).not.toThrow()
    expect(() => read(`[${'0,'.repeat(100)}0]`)).toThrow('too_many_values')
    expect(() => read(`[${'{}'.repeat(101)},0]`)).toThrow('too_many_values')
  })

  test('may contain any characters in its strings', () => {
    const text = JSON.stringify({ a: '[{,"\\'.repeat(1000), b: '\\', c: ['"'] })
    expect(() => read(text)).not.toThrow()
    expect(() => read(`["\\\\",${nested(maxJsonLevels)}]`)).toThrow('too_deep')
  })
})

describe('A stream of events', () => {
  const options = { maxEventBytes: 1000 }

  test.each(['\n', '\r\n'])('has the limits for each event', (end) => {
    const event = `data: ${nested(30)}${end}data: [${'0,'.repeat(50)}0]${end}${end}`
    expect(() => read(event.repeat(50), options)).not.toThrow()
    expect(() => read(`data: [${'0,'.repeat(101)}0]${end}${end}`, options)).toThrow('too_many')
    expect(() => read('d'.repeat(1001), options)).toThrow('too_long')
  })

  test('is still checked after an event whose string does not end', () => {
    expect(() => read(`data: "\n\ndata: ${nested(65)}\n\n`, options)).toThrow('too_deep')
  })

  test('counts the levels of an event across its lines', () => {
    expect(() => read('data: [\n'.repeat(65), options)).toThrow('too_deep')
  })

  test.each(['{}', '\n\n[1,\n\n2]', 'data: 1\n\n{}', ' \n[]', '\ufeff[]'])(
    'is refused when it is a document: %j',
    (text) => expect(() => read(text, options)).toThrow('no_events'),
  )

  test('allows no more levels after brackets that close nothing', () => {
    expect(() => read(`: ${']'.repeat(900)}\ndata: ${nested(65)}\n\n`, options)).toThrow('too_deep')
  })
})
