/** Bytes per stored piece of a file, so that neither engine nor process holds a whole file. */
export const pieceBytes = 256 * 1024

/** The same bytes in pieces of `size`; the last one may be shorter. */
export async function* inPieces(
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  size: number,
): AsyncGenerator<Uint8Array> {
  let open: Uint8Array[] = []
  let held = 0
  for await (const given of bytes)
    for (let at = 0; at < given.length;) {
      const part = given.subarray(at, at + size - held)
      open.push(part)
      held += part.length
      at += part.length
      if (held < size) continue
      yield Buffer.concat(open)
      open = []
      held = 0
    }
  if (held > 0) yield Buffer.concat(open)
}
