export interface CsvRecord {
  /** Where it begins in the text, from 1: a quoted field may hold line breaks. */
  readonly line: number
  readonly fields: readonly string[]
}

/** More than the largest product needs, to bound the work on one record. Characters of a cell. */
const maxCellLength = 50_000
const maxCells = 200
const maxBlankLines = 10_000

/**
 * The records of a CSV text (RFC 4180), one by one, so that the reader can stop. Accepts LF and CRLF,
 * a byte order mark, and quoted fields that contain doubled quotes, commas and line breaks. Skips blank
 * lines. (csv-parse is installed, but it counts CRLF in quoted fields as two lines.)
 *
 * @throws Error when a quoted field is not closed, or a limit is exceeded
 */
export function* parseCsv(text: string): Generator<CsvRecord> {
  const source = text.replace(/^\uFEFF/, '')
  // A field, quoted or bare, and its delimiter.
  const field = new RegExp(
    String.raw`(?:"((?:[^"]|""){0,${maxCellLength}})"|([^",\r\n]{0,${maxCellLength}}))(,|\r?\n|\r|$)`,
    'y',
  )
  let fields: string[] = []
  let line = 1
  let next = 1
  let blank = 0
  while (field.lastIndex < source.length) {
    const at = field.lastIndex
    const match = field.exec(source)
    if (match === null) throw new Error(whyUnreadable(at, source.length))
    const [, quoted, bare = '', end] = match
    fields.push(quoted === undefined ? bare.trim() : quoted.replaceAll('""', '"'))
    if (fields.length > maxCells)
      throw new Error(`line ${line}: there are more than ${maxCells} cells`)
    next += match[0].match(/\r\n|\r|\n/g)?.length ?? 0
    if (end === ',' && field.lastIndex === source.length) fields.push('')
    if (end === ',' && field.lastIndex < source.length) continue
    if (fields.some((value) => value !== '')) yield { line, fields }
    else if (++blank > maxBlankLines)
      throw new Error(`there are more than ${maxBlankLines} blank lines`)
    fields = []
    line = next
  }
}

function whyUnreadable(at: number, length: number): string {
  const quote = `a quote is not closed or stands alone, at character ${at}`
  if (length - at <= maxCellLength) return quote
  return `${quote}; or the cell there is longer than ${maxCellLength} characters`
}
