import type { ToolCall } from '#platform/models/model.ts'

/** A call of the caller's tools in the message of an answer. */
export function wireCall({ id, name, arguments: written }: ToolCall) {
  return { id, type: 'function', function: { name, arguments: written } }
}

/** Arguments in one chunk. UTF-16 code units. */
const pieceLength = 4096

/**
 * The deltas of the chunks in which OpenAI streams calls: one with the id and the name of a call, then its
 * arguments in pieces.
 */
export function callDeltas(calls: readonly ToolCall[]): string[] {
  return calls.flatMap((call, index) => {
    const begun = { ...wireCall({ ...call, arguments: '' }), index }
    const pieces = [...piecesOf(call.arguments)]
    return [begun, ...pieces.map((piece) => ({ index, function: { arguments: piece } }))].map(
      (one) => JSON.stringify({ tool_calls: [one] }),
    )
  })
}

/** Pieces that divide no character. */
export function* piecesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    let end = start + pieceLength
    if (/[\ud800-\udbff]/.test(text.charAt(end - 1))) end += 1
    yield text.slice(start, end)
    start = end
  }
}
