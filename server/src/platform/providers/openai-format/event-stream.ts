import { StringDecoder } from 'node:string_decoder'

/** Longest line or event that is kept, in UTF-16 units; a longer one is no event of a model. */
const maxEventLength = 1024 * 1024

/** A line or an event grew past what any model sends. */
export class EventTooLong extends Error {
  override readonly name = 'EventTooLong'
}

/**
 * Reads server-sent events (WHATWG HTML §9.2.6) from packets that may end anywhere, also within a
 * character. Only `data` matters to the model protocols: other fields and comments are passed over.
 */
export class EventStreamReader {
  readonly #decoder = new StringDecoder('utf8')
  /** What came after the last complete line. */
  #rest = ''
  #endedWithCarriageReturn = false
  /** The `data` of the event being read; null before its first such line. */
  #data: string | null = null
  #begun = false

  /**
   * The `data` of each event that the packet completes, lines joined by a line feed.
   *
   * @throws EventTooLong
   */
  read(packet: Buffer): string[] {
    const events: string[] = []
    const fresh = this.#lineFeedsOnly(this.#decoder.write(packet))
    // Only the new text is searched: with the line so far, small packets would cost the square of
    // its length.
    if (!fresh.includes('\n')) {
      this.#rest += fresh
      this.#keepBounded()
      return events
    }
    const text = this.#rest + fresh
    let start = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      this.#readLine(text, start, end, events)
      start = end + 1
    }
    this.#rest = text.slice(start)
    this.#keepBounded()
    return events
  }

  #keepBounded(): void {
    if (this.#rest.length + (this.#data?.length ?? 0) > maxEventLength)
      throw new EventTooLong(`An event has more than ${maxEventLength} characters.`)
  }

  /**
   * The event a closed connection left without its blank line. The standard drops it; model servers
   * that forget the last blank line mean it, and a cut one does not parse as JSON.
   */
  end(): string | null {
    const line = this.#rest + this.#lineFeedsOnly(this.#decoder.end())
    this.#rest = ''
    if (line !== '') this.#readLine(line, 0, line.length, [])
    const data = this.#data
    this.#data = null
    return data
  }

  /** Lines may end in CRLF, LF or CR; a CRLF may be torn between two packets. */
  #lineFeedsOnly(text: string): string {
    if (!this.#begun && text !== '') {
      this.#begun = true
      if (text.startsWith('\uFEFF')) return this.#lineFeedsOnly(text.slice(1))
    }
    if (!this.#endedWithCarriageReturn && !text.includes('\r')) return text
    if (text === '') return text
    const whole = this.#endedWithCarriageReturn && text.startsWith('\n') ? text.slice(1) : text
    this.#endedWithCarriageReturn = text.endsWith('\r')
    return whole.replace(/\r\n?/g, '\n')
  }

  #readLine(text: string, start: number, end: number, events: string[]): void {
    if (start === end) {
      if (this.#data !== null) events.push(this.#data)
      this.#data = null
      return
    }
    if (!text.startsWith('data', start)) return
    const next = start + 4
    if (next === end) this.#append('')
    else if (next < end && text[next] === ':')
      this.#append(text.slice(text[next + 1] === ' ' ? next + 2 : next + 1, end))
  }

  #append(value: string): void {
    this.#data = this.#data === null ? value : `${this.#data}\n${value}`
  }
}
