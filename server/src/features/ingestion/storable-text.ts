/** The text without lone surrogates and null characters, which PostgreSQL does not accept. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '')
}
