/** A line of RFC 4180 §2. */
export function csvLine(cells: readonly (string | null | undefined)[]): string {
  return `${cells.map((text) => cell(text ?? '')).join(',')}\r\n`
}

/**
 * Spreadsheets run a cell that begins like this as a formula, and strangers wrote much of what is
 * exported. A leading apostrophe makes it text (OWASP, CSV injection).
 */
const formulaStart = /^[=+\-@\t\r]/

function cell(text: string): string {
  const harmless = formulaStart.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
