/**
 * The records of a CSV text (RFC 4180), each as its fields. Takes LF and CRLF, a byte order mark,
 * and quoted fields with doubled quotes, commas and line breaks in them. Blank lines are left out.
 *
 * @throws Error when a quoted field is not closed
 */
export function parseCsv(text: string): string[][] {
  const records: string[][] = []
  const source = text.replace(/^\uFEFF/, '')
  // A field, quoted or bare, and what ends it.
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|\r|$)/y
  let record: string[] = []
  while (field.lastIndex < source.length) {
    const at = field.lastIndex
    const match = field.exec(source)
    if (match === null) throw new Error(`a quote is not closed or stands alone, at character ${at}`)
    const [, quoted, bare = '', end] = match
    record.push(quoted === undefined ? bare.trim() : quoted.replaceAll('""', '"'))
    if (end === ',' && field.lastIndex === source.length) record.push('')
    if (end === ',' && field.lastIndex < source.length) continue
    if (record.some((value) => value !== '')) records.push(record)
    record = []
  }
  return records
}
