/** A line of RFC 4180 §2. */
export function csvLine(cells: readonly (string | null | undefined)[]): string {
  return `${cells.map((text) => cell(text ?? '')).join(',')}\r\n`
}

/**
 * Spreadsheets take text that begins so for a formula, and run it: much of it is what strangers
 * wrote. An apostrophe makes it text again.
 */
const formulaStart = /^[=+\-@\t\r]/

function cell(text: string): string {
  const harmless = formulaStart.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
