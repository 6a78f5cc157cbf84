/** The value of a JSON text; undefined for any other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** True for an object in the sense of JSON: neither null nor a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The text without lone surrogates and null characters, which PostgreSQL does not accept. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '')
}
