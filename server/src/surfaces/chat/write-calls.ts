import type { CallPiece, ToolCall } from '#platform/models/model.ts'

/** A call of the caller's tools in the message of an answer. */
export function wireCall({
  id,
  name,
  arguments: written,
}: Pick<ToolCall, 'id' | 'name' | 'arguments'>) {
  return { id, type: 'function', function: { name, arguments: written } }
}

/** Arguments in one chunk. UTF-16 code units. */
const pieceLength = 4096

/** The deltas of the chunks in which OpenAI streams calls: the first one of a call has its id and its name. */
export class StreamedCalls {
  /** How much of the arguments of each call has been written. */
  readonly #written: number[] = []

  deltas(pieces: readonly CallPiece[]): string[] {
    return pieces.flatMap((piece) => {
      const { n: index, arguments: text } = piece
      const written = this.#written[index]
      this.#written[index] = (written ?? 0) + text.length
      const begun = written === undefined ? [wireCall({ ...piece, arguments: '' })] : []
      const more = text === '' ? [] : [{ function: { arguments: text } }]
      return [...begun, ...more].map((one) => JSON.stringify({ tool_calls: [{ index, ...one }] }))
    })
  }

  /** Those of what the model had not streamed. */
  rest(calls: readonly ToolCall[]): string[] {
    return this.deltas(restOfCalls(calls, this.#written))
  }
}

/** @param written how much of the arguments of each call has been written; no entry for none of a call */
export function restOfCalls(calls: readonly ToolCall[], written: readonly number[]): CallPiece[] {
  return calls.flatMap(({ id, name, arguments: all }, n) => {
    const from = written[n]
    const rest = [...piecesOf(all.slice(from ?? 0))]
    const texts = from === undefined ? ['', ...rest] : rest
    return texts.map((text) => ({ n, id, name, arguments: text }))
  })
}

/** Pieces that divide no character. */
function* piecesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    let end = start + pieceLength
    if (/[\ud800-\udbff]/.test(text.charAt(end - 1))) end += 1
    yield text.slice(start, end)
    start = end
  }
}
