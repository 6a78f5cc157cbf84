import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseCsv } from './parse-csv.ts'

describe('CSV', () => {
  test.each([
    [
      'a,b\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a,b\r\n1,2\r\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['\uFEFFa\n1', [['a'], ['1']]],
    ['a,"b ""c"", d"\n', [['a', 'b "c", d']]],
    ['a,"two\nlines"\n', [['a', 'two\nlines']]],
    ['a,,\n', [['a', '', '']]],
    ['a,', [['a', '']]],
    ['a\n\n  \nb', [['a'], ['b']]],
    ['', []],
  ])('%j', (text, records) => {
    expect([...parseCsv(text)].map(({ fields }) => fields)).toEqual(records)
  })

  test('a record has the number of the line on which it begins', () => {
    const text = 'a\r\n\n"two\nlines"\r"x\r\ny",z\nb'
    expect([...parseCsv(text)].map(({ line }) => line)).toEqual([1, 3, 5, 7])
  })

  test.each(['a,"b', 'a,b"c', '"a"b'])('%j is refused: a quote is misplaced', (text) => {
    expect(() => [...parseCsv(text)]).toThrow('quote')
  })

  test.each([
    ['a cell', `"${'x'.repeat(4_000_000)}"`],
    ['cells', ','.repeat(4_000_000)],
    ['blank lines', '\n'.repeat(4_000_000)],
  ])('%s without end are refused at the limit', (_, text) => {
    expect(() => [...parseCsv(text)]).toThrow(/longer|more than/)
  })

  test('quoted fields are read as they were written', () => {
    const records = fc.array(fc.array(fc.string(), { minLength: 1 }), { minLength: 1 })
    fc.assert(
      fc.property(records, (wanted) => {
        const kept = wanted.filter((record) => record.some((field) => field !== ''))
        const lines = kept.map((record) =>
          record.map((field) => `"${field.replaceAll('"', '""')}"`).join(','),
        )
        expect([...parseCsv(lines.join('\n'))].map(({ fields }) => fields)).toEqual(kept)
      }),
    )
  })
})
