export const exportFormats = ['csv', 'jsonl'] as const
export type ExportFormat = (typeof exportFormats)[number]

/** A line of RFC 4180 §2. */
export function csvLine(cells: readonly (string | null | undefined)[]): string {
  return `${cells.map((text) => cell(text ?? '')).join(',')}\r\n`
}

/**
 * Spreadsheets treat a cell that begins like this as a formula, and outsiders wrote much of the
 * exported text. A leading apostrophe marks it as text (OWASP, CSV injection).
 */
const formulaStart = /^[=+\-@\t\r]/

function cell(text: string): string {
  const harmless = formulaStart.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
