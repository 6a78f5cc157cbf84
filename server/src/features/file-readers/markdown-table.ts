/** A line of a Markdown table. */
export function tableRow(cells: readonly string[]): string {
  return `| ${cells.map(tableCell).join(' | ')} |`
}

/** The line between the head of a table and its rows. */
export function tableRule(columns: number): string {
  return `|${' --- |'.repeat(columns)}`
}

function tableCell(text: string): string {
  return text.trim().replaceAll('|', '\\|').replaceAll(/\s+/g, ' ')
}

/** The head of a table and its rule. */
export function tableHead(cells: readonly string[]): string {
  return `${tableRow(cells)}\n${tableRule(cells.length)}`
}
