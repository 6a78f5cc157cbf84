import readWorkbook from 'read-excel-file/node'
import { Fault } from '#kernel/fault.ts'
import { documentFaults, type DocumentReader, type Section } from './document.ts'
import { requireOfficeFile } from './require-office-file.ts'
import { tableSections } from './table-sections.ts'

/** Excel (.xlsx): each sheet is a table below its name, with its first row as the head. */
export const readExcel: DocumentReader = async (bytes) => {
  const buffer = Buffer.concat(await Array.fromAsync(bytes))
  await requireOfficeFile(buffer)
  return { sections: sectionsOf(await readSheets(buffer)) }
}

type Sheets = Awaited<ReturnType<typeof readWorkbook>>

async function readSheets(buffer: Buffer): Promise<Sheets> {
  try {
    return await readWorkbook(buffer)
  } catch (error) {
    throw new Fault(documentFaults.document_damaged, {}, { cause: error })
  }
}

async function* sectionsOf(sheets: Sheets): AsyncGenerator<Section> {
  for (const [at, { sheet, data }] of sheets.entries()) {
    const progress = (at + 1) / sheets.length
    const rows = data.map((row) => ({ cells: row.map(cellText), progress }))
    yield* tableSections(rows, `# ${sheet}\n\n`)
  }
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (!(value instanceof Date)) return String(value)
  // A date without a time is midnight in UTC.
  return value.toISOString().replace(/T00:00:00\.000Z$/, '')
}
