/** The most levels of lists and objects in any JSON that is read: recursive code works on it. */
export const maxJsonLevels = 64

/** A JSON text that is valid, but not read. */
export class JsonProblem extends Error {
  override readonly name = 'JsonProblem'
  readonly reason: 'too_deep' | 'too_many_values' | 'too_long' | 'no_events'

  constructor(reason: JsonProblem['reason']) {
    super(reason)
    this.reason = reason
  }
}

/** Values and keys in a JSON text that is parsed at once; to parse as many takes about 2 ms. */
export const maxJsonValues = 20_000

/** The value of a JSON text; undefined for any other text, and for one beyond the limits. */
export function parseJson(text: string, mostValues = maxJsonValues): unknown {
  try {
    return parseBoundedJson(text, mostValues)
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof JsonProblem) return undefined
    throw error
  }
}

/**
 * The value of a JSON text from outside.
 *
 * @throws SyntaxError, JsonProblem
 */
export function parseBoundedJson(text: string, mostValues = maxJsonValues): unknown {
  const problem = problemOf(text, mostValues)
  if (problem !== null) throw new JsonProblem(problem)
  return JSON.parse(text)
}

/** True for a JSON text with more than `maxJsonLevels`. */
export function isTooDeep(text: string): boolean {
  return problemOf(text, Number.POSITIVE_INFINITY) === 'too_deep'
}

/** Found in the characters of the text, without a value or recursion. */
function problemOf(text: string, mostValues: number): JsonProblem['reason'] | null {
  let depth = 0
  let values = 0
  for (let at = 0; at < text.length; at += 1)
    switch (text.charCodeAt(at)) {
      case 0x22:
        at = endOfString(text, at)
        break
      case 0x5b: // [
      case 0x7b: // {
        depth += 1
        values += 1
        if (depth > maxJsonLevels) return 'too_deep'
        break
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1
        break
      case 0x2c: // ,
      case 0x3a: // :
        values += 1
        if (values > mostValues) return 'too_many_values'
    }
  return null
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
    if (Array.isArray(one)) {
      // Its keys or a copy would take as long as a list of a million values is.
      count += one.length
      if (count > most) return true
      for (const item of one) open.push(item)
      continue
    }
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
