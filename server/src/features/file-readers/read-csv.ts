import { parse } from 'csv-parse'
import { Readable } from 'node:stream'
import { Fault } from '#kernel/fault.ts'
import { decodeText } from './decode-text.ts'
import { documentFaults, type DocumentReader } from './document.ts'
import { tableSections } from './table-sections.ts'

/** In a longer row, a quote was never closed. UTF-16 code units. */
const maxRowLength = 1024 * 1024
const sampleLength = 16 * 1024

/** Comma-, semicolon- or tab-separated values (RFC 4180 and the variants of spreadsheets). */
export const readCsv: DocumentReader = async (bytes, { charset }) => ({
  sections: tableSections(rowsOf(decodeText(bytes, charset))),
})

async function* rowsOf(text: AsyncGenerator<string>) {
  const first = await text.next()
  const given = first.done === true ? '' : first.value
  const named = separatorLine.exec(given)
  const start = given.slice(named?.[0].length ?? 0)
  const parser = parse({
    delimiter: named?.[1] ?? delimiterOf(start.slice(0, sampleLength)),
    bom: true,
    relaxColumnCount: true,
    relaxQuotes: true,
    skipEmptyLines: true,
    maxRecordSize: maxRowLength,
  })
  const input = Readable.from(startingWith(start, text))
  input.on('error', (error) => parser.destroy(error))
  input.pipe(parser)
  try {
    // csv-parse returns rows as arrays of strings unless columns are requested.
    for await (const cells of parser as AsyncIterable<string[]>) yield { cells, progress: 0.5 }
  } catch (error) {
    throw new Fault(documentFaults.document_damaged, {}, { cause: error })
  }
}

async function* startingWith(start: string, rest: AsyncGenerator<string>) {
  yield start
  yield* rest
}

/** A line before the table that names the separator for Excel. */
const separatorLine = /^\uFEFF?sep=([,;\t|])\r?\n/i

const quoted = /"[^"]*"/g

/** The most frequent candidate in the first lines, outside quotes. */
function delimiterOf(sample: string): string {
  const bare = sample.replaceAll(quoted, '')
  const counts = [',', ';', '\t', '|'].map((one) => ({ one, count: bare.split(one).length }))
  return counts.toSorted((a, b) => b.count - a.count)[0]?.one ?? ','
}
