import type { Section } from './document.ts'
import { tableHead, tableRow } from './markdown-table.ts'

const rowsPerSection = 200

interface Row {
  readonly cells: readonly string[]
  readonly progress: number
}

/** The rows of a table in parts, each below the head, which is the first row. */
export async function* tableSections(
  rows: AsyncIterable<Row> | Iterable<Row>,
  heading = '',
): AsyncGenerator<Section> {
  let head: string | null = null
  let open: string[] = []
  let progress = 0
  let hasSection = false
  const section = (): Section => ({
    text: `${heading}${[head ?? '', ...open].join('\n')}\n`,
    page: null,
    progress,
  })
  for await (const row of rows) {
    if (row.cells.every((cell) => cell.trim() === '')) continue
    progress = row.progress
    if (head === null) head = tableHead(row.cells)
    else open.push(tableRow(row.cells))
    if (open.length < rowsPerSection) continue
    yield section()
    hasSection = true
    open = []
  }
  // A table of one row is only its head.
  if (head !== null && (open.length > 0 || !hasSection)) yield section()
}
