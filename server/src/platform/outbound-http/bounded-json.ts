import { CpuSlice } from '#kernel/cpu-slice.ts'
import { JsonBounds } from '#kernel/json-bounds.ts'
import { limited, type Exchange } from './exchange.ts'

export interface JsonLimits {
  /** Of the whole body. */
  readonly maxBytes: number
  /** Values of the document, or of each event of a stream. */
  readonly maxValues: number
}

const maxEventBytes = 1024 * 1024

/** Bytes of a stream that a library reads before the clock is looked at: an event may be a few bytes. */
const pieceBytes = 1024

/**
 * The body of a response for a library that parses it as JSON or as a stream of JSON events. The body
 * is passed on in slices of time, and its end is cut off when it exceeds the limits.
 *
 * @throws BodyTooLarge, JsonProblem
 */
export async function* boundedJson(
  { headers, packets }: Exchange,
  { maxBytes, maxValues }: JsonLimits,
): AsyncGenerator<Buffer> {
  const isStream = /^\s*text\/event-stream/i.test(String(headers['content-type'] ?? ''))
  const bounds = new JsonBounds({
    mostValues: maxValues,
    maxEventBytes: isStream ? maxEventBytes : null,
  })
  for await (const packet of limited(packets, maxBytes)) {
    const slice = new CpuSlice()
    for (let at = 0; at < packet.length; at += pieceBytes) {
      if (slice.isOver) await slice.next()
      const piece = packet.subarray(at, at + pieceBytes)
      bounds.read(piece)
      yield piece
    }
  }
}
