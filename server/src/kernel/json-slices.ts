import { CpuSlice } from './cpu-slice.ts'
import { JsonProblem, maxJsonLevels, parseBoundedJson } from './json.ts'

/** The time to parse a text grows with its values: at this length, none takes more than a slice. */
const shortLength = 16 * 1024
/** At this length, the turn of the event loop in which a text arrives has no time left for it. */
const veryLongLength = 256 * 1024
/** Values between two looks at the clock. */
const valuesAtOnce = 64
/** The part of a long string that is decoded at once. */
const pieceLength = 64 * 1024

/**
 * The value of a JSON text, as `JSON.parse` returns it; a long text is parsed in slices of time.
 *
 * @param mostValues the values and keys that the text may contain, if it is long
 * @throws SyntaxError, JsonProblem
 */
export async function parseJsonInSlices(text: string, mostValues: number): Promise<unknown> {
  if (text.length <= shortLength) return parseBoundedJson(text)
  return await rootOf(text, { mostValues, mostLevels: maxJsonLevels })
}

/** The value of a JSON text that this service has written. */
export async function parseOwnJson(text: string): Promise<unknown> {
  if (text.length <= shortLength) return JSON.parse(text)
  return await rootOf(text, { mostValues: Infinity, mostLevels: Infinity })
}

async function rootOf(text: string, bounds: Bounds): Promise<unknown> {
  const slice = new CpuSlice()
  // Reading it took a part of this turn of the event loop, and checking it will take a part of another.
  const isVeryLong = text.length > veryLongLength
  if (isVeryLong) await slice.next()
  const parser = new Parser(text, bounds)
  while (!parser.advance()) if (slice.isOver) await slice.next()
  if (isVeryLong && slice.isOver) await slice.next()
  return parser.root
}

/**
 * The JSON of an object, as `JSON.stringify` writes it. The items of its lists are written in slices of
 * time, so no item may be long itself.
 */
export async function writeJsonInSlices(fields: object): Promise<string> {
  const slice = new CpuSlice()
  const written: string[] = []
  for (const [key, value] of Object.entries(fields)) {
    if (value === undefined) continue
    const name = `${JSON.stringify(key)}:`
    if (!Array.isArray(value)) {
      written.push(name + JSON.stringify(value))
      continue
    }
    const items: string[] = []
    for (const item of value) {
      if (slice.isOver) await slice.next()
      items.push(JSON.stringify(item) ?? 'null')
    }
    written.push(`${name}[${items.join(',')}]`)
  }
  return `{${written.join(',')}}`
}

/** No format that is read has an object with as many; code that copies or checks one does it at once. */
const mostKeys = 10_000

type Open =
  | { readonly list: unknown[] }
  | { readonly fields: Record<string, unknown>; key: string; keys: number }

/** What comes next. `next` is a comma or the end of the innermost list or object. */
type Expected = 'value' | 'first item' | 'first key' | 'key' | 'colon' | 'next'

const quote = 0x22
const backslash = 0x5c
const space = 0x20

interface Bounds {
  readonly mostValues: number
  readonly mostLevels: number
}

/** A parser without recursion that can stop between two values (RFC 8259). */
class Parser {
  root: unknown = undefined
  readonly #text: string
  readonly #mostValues: number
  readonly #mostLevels: number
  readonly #open: Open[] = []
  /** The decoded pieces of a string whose end has not been reached. */
  #string: string | null = null
  #expected: Expected = 'value'
  #at = 0
  #values = 0
  /** The next quote and the next backslash, each as it was found last; infinite if none follows. */
  #quote = -1
  #backslash = -1

  constructor(text: string, { mostValues, mostLevels }: Bounds) {
    this.#text = text
    this.#mostValues = mostValues
    this.#mostLevels = mostLevels
  }

  /** Continues for a short time. @returns true at the end of the text */
  advance(): boolean {
    for (let steps = 0; steps < valuesAtOnce; steps += 1) {
      if (this.#string !== null) {
        this.#readPiece(this.#string)
        return false
      }
      const token = this.#nextToken()
      if (token === '') {
        if (this.#expected === 'next' && this.#open.length === 0) return true
        throw new SyntaxError('The text ends too early')
      }
      this.#accept(token)
    }
    return false
  }

  /** The next character that is not white space; '' at the end. */
  #nextToken(): string {
    // Most tokens follow without white space, and the expression takes ten times as long.
    if (this.#text.charCodeAt(this.#at) > space) return this.#text.charAt(this.#at)
    whiteSpace.lastIndex = this.#at
    whiteSpace.test(this.#text)
    this.#at = whiteSpace.lastIndex
    return this.#text.charAt(this.#at)
  }

  #accept(token: string): void {
    const top = this.#open.at(-1)
    if (this.#expected === 'next') return this.#acceptNext(token, top)
    if (this.#expected === 'colon') {
      if (token !== ':') throw this.#unexpected()
      this.#at += 1
      this.#expected = 'value'
      return
    }
    if (this.#expected === 'first item' && token === ']') return this.#close()
    if (this.#expected === 'first key' && token === '}') return this.#close()
    if (++this.#values > this.#mostValues) throw new JsonProblem('too_many_values')
    if (token === '"') {
      this.#at += 1
      return this.#readPiece('')
    }
    if (this.#expected === 'key' || this.#expected === 'first key') throw this.#unexpected()
    if (token === '[' || token === '{') return this.#push(token)
    this.#settle(this.#readWord())
  }

  #acceptNext(token: string, top: Open | undefined): void {
    if (top === undefined) throw this.#unexpected()
    const isList = 'list' in top
    if (token === (isList ? ']' : '}')) return this.#close()
    if (token !== ',') throw this.#unexpected()
    this.#at += 1
    this.#expected = isList ? 'value' : 'key'
  }

  #push(token: string): void {
    const opened: Open = token === '[' ? { list: [] } : { fields: {}, key: '', keys: 0 }
    this.#settle('list' in opened ? opened.list : opened.fields)
    if (this.#open.push(opened) > this.#mostLevels) throw new JsonProblem('too_deep')
    this.#at += 1
    this.#expected = token === '[' ? 'first item' : 'first key'
  }

  #close(): void {
    this.#at += 1
    this.#open.pop()
    this.#expected = 'next'
  }

  /** Reads on in a string, so that a long one is decoded in pieces. */
  #readPiece(before: string): void {
    const text = this.#text
    const start = this.#at
    const end = this.#endOfPiece(start)
    const piece: string = JSON.parse(`"${text.slice(start, end)}"`)
    const whole = before === '' ? piece : before + piece
    const isAtEnd = text.charCodeAt(end) === quote
    this.#at = isAtEnd ? end + 1 : end
    this.#string = isAtEnd ? null : whole
    if (isAtEnd) this.#settleString(whole)
  }

  /** The quote that ends the string, or a place between two characters of a long one. */
  #endOfPiece(start: number): number {
    const text = this.#text
    const most = start + pieceLength
    if (this.#quote < start) this.#quote = placeOf('"', text, start)
    if (this.#backslash < start) this.#backslash = placeOf('\\', text, start)
    if (this.#quote < this.#backslash) return Math.min(this.#quote, most)
    if (this.#backslash === Infinity) throw new SyntaxError('A string does not end')
    let end = Math.min(this.#backslash, most)
    while (end < most) {
      const code = text.charCodeAt(end)
      if (code === quote) break
      if (Number.isNaN(code)) throw new SyntaxError('A string does not end')
      if (code !== backslash) end += 1
      else end += text.charAt(end + 1) === 'u' ? 6 : 2
    }
    return end
  }

  #settleString(value: string): void {
    const top = this.#open.at(-1)
    const isKey = this.#expected === 'key' || this.#expected === 'first key'
    if (!isKey || top === undefined || 'list' in top) return this.#settle(value)
    if (++top.keys > mostKeys) throw new JsonProblem('too_many_values')
    top.key = value
    this.#expected = 'colon'
  }

  /** A number, true, false or null. */
  #readWord(): unknown {
    word.lastIndex = this.#at
    const found = word.exec(this.#text)?.[0]
    if (found === undefined) throw this.#unexpected()
    this.#at += found.length
    return JSON.parse(found)
  }

  #settle(value: unknown): void {
    const top = this.#open.at(-1)
    if (top === undefined) this.root = value
    else if ('list' in top) top.list.push(value)
    else if (top.key !== '__proto__') top.fields[top.key] = value
    else Object.defineProperty(top.fields, top.key, { value, ...ownField })
    this.#expected = 'next'
  }

  #unexpected(): SyntaxError {
    return new SyntaxError(`Unexpected character at ${this.#at}`)
  }
}

/** Finding a character natively takes a tenth of the time of looking at each one. */
function placeOf(character: string, text: string, from: number): number {
  const at = text.indexOf(character, from)
  return at === -1 ? Infinity : at
}

const whiteSpace = /[\t\n\r ]*/y
const word = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
/** As an assignment would create it. */
const ownField = { writable: true, enumerable: true, configurable: true }
