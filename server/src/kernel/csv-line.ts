export const exportFormats = ['csv', 'jsonl'] as const
export type ExportFormat = (typeof exportFormats)[number]

/** A line of RFC 4180 §2. */
export function csvLine(cells: readonly (string | null | undefined)[]): string {
  return `${csvCells(cells)}${csvLineEnd}`
}

/** A line for the person who wrote its cells, so without protection against formulas. */
export function csvLineAsWritten(cells: readonly string[]): string {
  return `${cells.map(quoted).join(',')}${csvLineEnd}`
}

export const csvLineEnd = '\r\n'

export function csvCells(cells: readonly (string | null | undefined)[]): string {
  return cells.map((text) => cell(text ?? '')).join(',')
}

/** One cell whose text is too long to be escaped at once, in pieces. */
export function* csvCellInPieces(pieces: Iterable<string>): Generator<string, void, undefined> {
  yield '"'
  let isFirst = true
  for (const piece of pieces) {
    yield (isFirst ? harmless(piece) : piece).replaceAll('"', '""')
    isFirst = false
  }
  yield '"'
}

/**
 * Spreadsheets treat a cell that begins like this as a formula, and outsiders wrote much of the
 * exported text, also after white space and with full-width signs. A leading apostrophe marks it as text (OWASP, CSV injection).
 */
const formulaStart = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/u

function harmless(text: string): string {
  return formulaStart.test(text) ? `'${text}` : text
}

function cell(text: string): string {
  return quoted(harmless(text))
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
