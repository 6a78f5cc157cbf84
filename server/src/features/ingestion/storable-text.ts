/** Without what PostgreSQL refuses: halves of surrogate pairs, and the null character. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '')
}
