import type { Bytes } from './document.ts'

/** Enough to tell an encoding by. */
const sampleBytes = 64 * 1024

/**
 * Text from bytes, piece by piece: by their byte order mark, the charset they came with, as UTF-8, or
 * as Windows-1252, which is what bytes that are not UTF-8 mostly are.
 */
export async function* decodeText(bytes: Bytes, charset: string | null): AsyncGenerator<string> {
  let decoder: TextDecoder | null = null
  let held: Uint8Array[] = []
  let heldBytes = 0
  for await (const piece of bytes) {
    if (decoder !== null) {
      yield decoder.decode(piece, { stream: true })
      continue
    }
    held.push(piece)
    heldBytes += piece.length
    if (heldBytes < sampleBytes) continue
    const sample = Buffer.concat(held)
    decoder = decoderFor(sample, charset, true)
    held = []
    yield decoder.decode(sample, { stream: true })
  }
  const rest = Buffer.concat(held)
  yield (decoder ?? decoderFor(rest, charset, false)).decode(rest)
}

/** All of a text at once. */
export function decodeAll(bytes: Uint8Array, charset: string | null): string {
  return decoderFor(bytes, charset, false).decode(bytes)
}

function decoderFor(sample: Uint8Array, charset: string | null, isCut: boolean): TextDecoder {
  return new TextDecoder(encodingOf(sample, charset, isCut))
}

function encodingOf(sample: Uint8Array, charset: string | null, isCut: boolean): string {
  const [first, second] = sample
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  if (charset !== null && isEncoding(charset)) return charset
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(sample, { stream: isCut })
    return 'utf-8'
  } catch {
    // Not UTF-8: that is the answer, not a failure.
    return 'windows-1252'
  }
}

function isEncoding(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== ''
  } catch {
    // A label that names no encoding: the bytes tell.
    return false
  }
}
