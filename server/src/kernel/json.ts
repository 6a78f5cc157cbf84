/** The most levels of lists and objects in any JSON that is read: recursive code works on it. */
export const maxJsonLevels = 64

/** A JSON text that is valid, but not read. */
export class JsonProblem extends Error {
  override readonly name = 'JsonProblem'
  readonly reason: 'too_deep' | 'too_many_values'

  constructor(reason: JsonProblem['reason']) {
    super(reason)
    this.reason = reason
  }
}

/** The value of a JSON text; undefined for any other text, and for one nested too deeply. */
export function parseJson(text: string): unknown {
  if (isDeeperThan(text, maxJsonLevels)) return undefined
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** True for a JSON text with more levels; found in its characters, without a value or recursion. */
export function isDeeperThan(text: string, levels: number): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at += 1)
    switch (text.charCodeAt(at)) {
      case 0x22:
        at = endOfString(text, at)
        break
      case 0x5b: // [
      case 0x7b: // {
        depth += 1
        if (depth > levels) return true
        break
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1
    }
  return false
}

/** Where the string that begins at `start` has its closing quote; the text's length if it has none. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = end
    while (text.charAt(escapes - 1) === '\\') escapes -= 1
    if ((end - escapes) % 2 === 0) return end
  }
  return text.length
}

/** True for a value with more parts at all levels; found without recursion, and only up to the limit. */
export function hasMoreParts(value: unknown, most: number): boolean {
  const open = [value]
  let count = 0
  for (let one = open.pop(); one !== undefined || open.length > 0; one = open.pop()) {
    if (typeof one !== 'object' || one === null) continue
    // Object.values would copy a large object first.
    for (const key in one) {
      count += 1
      if (count > most) return true
      open.push((one as Readonly<Record<string, unknown>>)[key]) // `key` is a key of it
    }
  }
  return false
}

/** True for an object in the sense of JSON: neither null nor a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The text without lone surrogates and null characters, which PostgreSQL does not accept. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '')
}
