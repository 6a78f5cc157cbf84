import { createParser } from 'eventsource-parser'
import { ModelFailure } from '#platform/models/model.ts'

/** Longest line or event that is kept, in UTF-16 units; a longer one is no event of a model. */
const maxEventLength = 1024 * 1024

/**
 * Lines of one stream that are no fields of the standard. It has them ignored, but each costs the
 * parser 10 µs, so a server that sends nothing else would keep a core busy.
 */
const maxUnknownLines = 1000

/**
 * Reads server-sent events (WHATWG HTML §9.2.6) from packets that may end anywhere, also within a
 * character. Only `data` matters to the model protocols.
 */
export class EventStreamReader {
  readonly #decoder = new TextDecoder()
  #events: string[] = []
  #unknownLines = 0
  readonly #parser = createParser({
    maxBufferSize: maxEventLength,
    onEvent: ({ data }) => this.#events.push(data),
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded')
        throw new ModelFailure('bad_answer', `An event is over ${maxEventLength} characters long.`)
      this.#unknownLines += 1
      if (this.#unknownLines > maxUnknownLines)
        throw new ModelFailure('bad_answer', 'The answer is no stream of events.')
    },
  })

  /**
   * The `data` of each event that the packet completes, lines joined by a line feed.
   *
   * @throws ModelFailure `bad_answer`
   */
  read(packet: Buffer): string[] {
    return this.#feed(this.#decoder.decode(packet, { stream: true }))
  }

  /**
   * The event that a closed connection left without its blank line. The standard drops it; model
   * servers that forget the last blank line mean it, and a cut one does not parse as JSON.
   */
  end(): string | null {
    return this.#feed(`${this.#decoder.decode()}\n\n`)[0] ?? null
  }

  #feed(text: string): string[] {
    this.#events = []
    this.#parser.feed(text)
    return this.#events
  }
}
