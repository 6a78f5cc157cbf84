export interface CsvRecord {
  /** Where it begins in the text, from 1: a quoted field may hold line breaks. */
  readonly line: number
  readonly fields: readonly string[]
}

/**
 * The records of a CSV text (RFC 4180). Accepts LF and CRLF, a byte order mark, and quoted fields
 * that contain doubled quotes, commas and line breaks. Skips blank lines. (csv-parse is installed,
 * but it counts CRLF in quoted fields as two lines.)
 *
 * @throws Error when a quoted field is not closed
 */
export function parseCsv(text: string): CsvRecord[] {
  const records: CsvRecord[] = []
  const source = text.replace(/^\uFEFF/, '')
  // A field, quoted or bare, and its delimiter.
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|\r|$)/y
  let fields: string[] = []
  let line = 1
  let next = 1
  while (field.lastIndex < source.length) {
    const at = field.lastIndex
    const match = field.exec(source)
    if (match === null) throw new Error(`a quote is not closed or stands alone, at character ${at}`)
    const [, quoted, bare = '', end] = match
    fields.push(quoted === undefined ? bare.trim() : quoted.replaceAll('""', '"'))
    next += match[0].match(/\r\n|\r|\n/g)?.length ?? 0
    if (end === ',' && field.lastIndex === source.length) fields.push('')
    if (end === ',' && field.lastIndex < source.length) continue
    if (fields.some((value) => value !== '')) records.push({ line, fields })
    fields = []
    line = next
  }
  return records
}
