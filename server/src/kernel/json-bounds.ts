import { JsonProblem, maxJsonLevels } from './json.ts'

export interface JsonBoundsOptions {
  /** Values of one document. */
  readonly mostValues: number
  /** The longest event of a stream of server-sent events, in bytes; null for a single document. */
  readonly maxEventBytes: number | null
}

/** What a line of a stream of events begins with: data, event, id, retry or the colon of a comment. */
const lineBeginnings = new Set([...'deir:'].map((character) => character.charCodeAt(0)))

/**
 * Bounds the depth and the values of JSON that a library parses, from its bytes as they arrive. In a
 * stream of events, an empty line begins a new document (WHATWG HTML §9.2.5). A stream that is JSON
 * instead is refused: its reader would parse it as one document, whatever its Content-Type says.
 */
export class JsonBounds {
  readonly #mostValues: number
  readonly #maxEventBytes: number | null
  #depth = 0
  #values = 0
  #eventBytes = 0
  #isInString = false
  #isEscaped = false
  #isEmptyLine = true

  constructor({ mostValues, maxEventBytes }: JsonBoundsOptions) {
    this.#mostValues = mostValues
    this.#maxEventBytes = maxEventBytes
  }

  /** @throws JsonProblem */
  read(bytes: Uint8Array): void {
    for (const byte of bytes) {
      this.#eventBytes += 1
      if (byte === 0x0a || byte === 0x0d) this.#endLine(byte)
      else {
        if (this.#isEmptyLine) this.#beginLine(byte)
        if (this.#isInString) this.#readInString(byte)
        else this.#readStructure(byte)
      }
    }
    if (this.#maxEventBytes !== null && this.#eventBytes > this.#maxEventBytes)
      throw new JsonProblem('too_long')
  }

  #beginLine(byte: number): void {
    this.#isEmptyLine = false
    if (this.#maxEventBytes !== null && !lineBeginnings.has(byte))
      throw new JsonProblem('no_events')
  }

  /** No JSON string contains a line end (RFC 8259 §7). */
  #endLine(byte: number): void {
    this.#isInString = false
    if (this.#isEmptyLine && this.#maxEventBytes !== null) {
      this.#depth = 0
      this.#values = 0
      this.#eventBytes = 0
    }
    // CRLF ends one line.
    if (byte === 0x0a) this.#isEmptyLine = true
  }

  #readInString(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (byte === 0x5c) this.#isEscaped = true
    else if (byte === 0x22) this.#isInString = false
  }

  #readStructure(byte: number): void {
    if (byte === 0x22) {
      this.#isInString = true
      this.#isEscaped = false
    } else if (byte === 0x5b || byte === 0x7b) {
      this.#depth += 1
      this.#values += 1
      if (this.#depth > maxJsonLevels) throw new JsonProblem('too_deep')
    } else if (byte === 0x5d || byte === 0x7d) this.#depth = Math.max(0, this.#depth - 1)
    else if (byte === 0x2c) {
      this.#values += 1
      if (this.#values > this.#mostValues) throw new JsonProblem('too_many_values')
    }
  }
}
