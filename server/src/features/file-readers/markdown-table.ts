export function tableRow(cells: readonly string[]): string {
  return `| ${cells.map(tableCell).join(' | ')} |`
}

function tableCell(text: string): string {
  return text.trim().replaceAll('|', '\\|').replaceAll(/\s+/g, ' ')
}

/** The head of a table with the line below it. */
export function tableHead(cells: readonly string[]): string {
  return `${tableRow(cells)}\n|${' --- |'.repeat(cells.length)}`
}
