import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EventStreamReader } from './event-stream.ts'

function readAll(text: string): string[] {
  const reader = new EventStreamReader()
  const events = reader.read(Buffer.from(text))
  const last = reader.end()
  return last === null ? events : [...events, last]
}

describe('The events of a stream', () => {
  it('are its data lines, each event ended by a blank line', () => {
    expect(readAll('data: one\n\ndata: two\n\n')).toEqual(['one', 'two'])
  })
  it('are the same with CRLF, CR and LF', () => {
    const text = 'data: one\n: note\ndata: more\n\ndata: two\n\n'
    for (const ending of ['\n', '\r\n', '\r'])
      expect(readAll(text.replaceAll('\n', ending))).toEqual(['one\nmore', 'two'])
  })
  it('join several data lines with a line feed', () => {
    expect(readAll('data: a\ndata:\ndata: b\n\n')).toEqual(['a\n\nb'])
  })
  it('lose only one space after the colon', () => {
    expect(readAll('data:a\n\ndata:  b\n\n')).toEqual(['a', ' b'])
  })
  it('leave out comments, other fields and fields that only begin with data', () => {
    expect(readAll(': hi\nevent: x\nid: 1\nretry: 5\ndatabase: no\ndata: yes\n\n')).toEqual(['yes'])
  })
  it('are none for blank lines alone', () => {
    expect(readAll('\n\n\n: ping\n\n')).toEqual([])
  })
  it('begin after a byte order mark', () => {
    expect(readAll('\uFEFFdata: a\n\n')).toEqual(['a'])
  })
  it('include one without its final blank line', () => {
    expect(readAll('data: a\n\ndata: b')).toEqual(['a', 'b'])
    expect(readAll('data: a\n\ndata: b\n')).toEqual(['a', 'b'])
  })
})

it('Packets may end anywhere, also within a character or a line ending', () => {
  const value = fc.string({
    unit: fc.constantFrom('a', 'é', '日', '👩‍👩‍👧', ' ', ':', '\uFEFF'),
    minLength: 1,
  })
  const ending = fc.constantFrom('\n', '\r\n', '\r')
  fc.assert(
    fc.property(
      fc.array(value, { minLength: 1, maxLength: 6 }),
      ending,
      fc.array(fc.nat(), { maxLength: 30 }),
      (values, end, cuts) => {
        const bytes = Buffer.from(values.map((one) => `data: ${one}${end}${end}`).join(''))
        const places = cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b)
        const reader = new EventStreamReader()
        const events: string[] = []
        let from = 0
        for (const place of [...places, bytes.length]) {
          events.push(...reader.read(bytes.subarray(from, place)))
          from = place
        }
        const last = reader.end()
        if (last !== null) events.push(last)
        expect(events).toEqual(values)
      },
    ),
  )
})

it('An event is returned with the packet that completes it', () => {
  const reader = new EventStreamReader()
  expect(reader.read(Buffer.from('data: a\r\n\r\ndata: b'))).toEqual(['a'])
  expect(reader.read(Buffer.from('\r\n\r\n'))).toEqual(['b'])
})

it('The time of a long line in small packets grows with its length, not with the square of it', () => {
  const reader = new EventStreamReader()
  reader.read(Buffer.from('data: '))
  const packet = Buffer.alloc(16, 'x')
  const began = performance.now()
  for (let i = 0; i < 60_000; i += 1) reader.read(packet)
  // It took 15 seconds when each packet was searched together with all earlier ones.
  expect(performance.now() - began).toBeLessThan(2_000)
})

it.each([
  ['A line of data without an end', 'x'.repeat(64 * 1024)],
  ['An event of endless lines', `${'x'.repeat(1000)}\ndata: `.repeat(64)],
])('%s is refused before it fills the memory', (_, text) => {
  const reader = new EventStreamReader()
  const packet = Buffer.from(text)
  expect(() => {
    reader.read(Buffer.from('data: '))
    for (let i = 0; i < 20; i += 1) reader.read(packet)
  }).toThrow('over 1048576 characters')
})

it('An endless line that is no field holds no memory, and many such lines are refused', () => {
  const reader = new EventStreamReader()
  const packet = Buffer.alloc(64 * 1024, 'x')
  for (let i = 0; i < 100; i += 1) expect(reader.read(packet)).toEqual([])
  expect(reader.read(Buffer.from('\ndata: a\n\n'))).toEqual(['a'])
  expect(() => reader.read(Buffer.from('x\n'.repeat(2000)))).toThrow('no stream of events')
})
