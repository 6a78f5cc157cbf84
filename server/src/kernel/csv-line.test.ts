import { describe, expect, test } from 'vitest'
import { csvCellInPieces, csvCells } from './csv-line.ts'

describe('a cell that a spreadsheet could take for a formula', () => {
  const signs = ['=', '+', '-', '@', '＝', '＋', '－', '＠']
  const starts = ['', ' ', '\n', '\t', '\r\n ', '\u00a0', '\u3000', '\ufeff']
  const formulas = starts.flatMap((start) => signs.map((sign) => `${start}${sign}1`))

  test.each([...formulas, '\ttab', '\rreturn', '\nfeed'])('%j is marked as text', (text) => {
    expect(csvCells([text]).replace(/^"/, '')).toMatch(/^'/)
    expect([...csvCellInPieces([text, '=2'])].join('')).toBe(`"'${text}=2"`)
  })

  test.each(['a=1', ' text', '1-2', '', 'ａ＝1'])('is not %j', (text) => {
    expect(csvCells([text])).toBe(text)
    expect([...csvCellInPieces([text])].join('')).toBe(`"${text}"`)
  })
})
