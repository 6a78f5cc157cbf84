import { CpuSlice } from '#kernel/cpu-slice.ts'
import { Fault } from '#kernel/fault.ts'
import { catalogFaults } from './catalog-faults.ts'
import { guessFields, isCsvField, readCells, type CsvField } from './csv-columns.ts'
import { parseCsv, type CsvRecord } from './parse-csv.ts'
import type { UpsertProduct } from './product-plan.ts'

const maxImported = 5000
export const maxProblemsShown = 20

/** The column that a file of rejected lines has in addition. An import ignores it. */
export const problemColumn = 'import_problem'

export interface CsvReading {
  readonly csv: string
  /** What a column holds, by its header; the others are ignored. Without it, headers name fields. */
  readonly columns?: Readonly<Record<string, CsvField>> | undefined
  /** The currency of prices that name none. */
  readonly currency: string
}

export interface ReadProduct extends CsvRecord {
  readonly product: UpsertProduct
}

export interface RejectedLine extends CsvRecord {
  readonly problems: readonly string[]
}

export interface ReadCsv {
  readonly header: readonly string[]
  readonly products: readonly ReadProduct[]
  readonly rejected: readonly RejectedLine[]
}

/**
 * The products of a CSV text, one per line below its header. Reads in slices of time and stops at the
 * limit: a text may have a million lines.
 *
 * @throws Fault csv_invalid if the text as a whole cannot be read
 */
export async function readProducts(reading: CsvReading): Promise<ReadCsv> {
  const slice = new CpuSlice()
  const products: ReadProduct[] = []
  const rejected: RejectedLine[] = []
  let header: readonly string[] | null = null
  let names: readonly string[] = []
  for (const record of recordsOf(reading.csv)) {
    if (slice.isOver) await slice.next()
    if (header === null) {
      header = record.fields.map((name) => name.trim())
      names = namesOf(header, reading)
      continue
    }
    if (products.length + rejected.length === maxImported)
      throw invalid([`there are more than ${maxImported} products; import them in parts`])
    const read = readRecord(header, names, record, reading.currency)
    if ('product' in read) products.push({ ...record, ...read })
    else rejected.push({ ...record, ...read })
  }
  if (header === null || products.length + rejected.length === 0)
    throw invalid(['line 1: there is no product below the header'])
  return { header, products, rejected }
}

/** The first problems of lines, as the fault lists them. */
export function* problemsOf(rejected: readonly RejectedLine[]): Generator<string> {
  for (const { line, problems } of rejected)
    for (const problem of problems) yield `line ${line}: ${problem}`
}

/** The columns of a text, each with the field that its header suggests and an example. */
export function describeColumns(csv: string) {
  const [header, first] = recordsOf(csv).take(2).toArray()
  const names = header?.fields.map((name) => name.trim()) ?? []
  const guesses = guessFields(names)
  return names
    .map((name, column) => ({
      header: name,
      field: guesses[column] ?? null,
      example: (first?.fields[column] ?? '').slice(0, 100),
    }))
    .filter(({ header: name }) => name !== '' && name !== problemColumn)
}

/** The field of each column; empty for one that is ignored. */
function namesOf(header: readonly string[], { columns }: CsvReading): readonly string[] {
  const missing = Object.keys(columns ?? {}).filter((name) => !header.includes(name))
  if (missing.length > 0) throw invalid(missing.map((name) => `line 1: no column is named ${name}`))
  const names = header.map((name) => {
    if (columns !== undefined) return Object.hasOwn(columns, name) ? (columns[name] ?? '') : ''
    return name === problemColumn ? '' : name.toLowerCase()
  })
  // Spreadsheets add empty columns at the end of lines.
  const used = names.filter((name) => name !== '')
  const unknown = used.filter((name) => !isCsvField(name))
  if (unknown.length > 0) throw invalid([`line 1: no such column: ${unknown.join(', ')}`])
  const twice =
    columns === undefined ? undefined : used.find((name, index) => used.indexOf(name) < index)
  if (twice !== undefined) throw invalid([`line 1: two columns are ${twice}`])
  return names
}

function readRecord(
  header: readonly string[],
  names: readonly string[],
  { fields }: CsvRecord,
  currency: string,
): ReturnType<typeof readCells> {
  if (fields.some((cell, column) => cell !== '' && (header[column] ?? '') === ''))
    return { problems: ['there are more cells than columns; a cell with a comma is quoted'] }
  const cells = names
    .map((name, column) => [name, fields[column] ?? ''] as const)
    .filter(([name, cell]) => name !== '' && cell !== '')
  return readCells(Object.fromEntries(cells), currency)
}

function* recordsOf(csv: string): Generator<CsvRecord> {
  try {
    yield* parseCsv(csv)
  } catch (error) {
    throw invalid([error instanceof Error ? error.message : String(error)])
  }
}

export function invalid(lines: Iterable<string>): Fault {
  return new Fault(catalogFaults.csv_invalid, { lines: [...lines].slice(0, maxProblemsShown) })
}
