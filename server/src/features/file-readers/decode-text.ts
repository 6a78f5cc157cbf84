import { analyse } from 'chardet'
import { Fault } from '#kernel/fault.ts'
import { documentFaults, type Bytes } from './document.ts'

/** Enough to tell an encoding by. */
const sampleBytes = 64 * 1024

/**
 * Text from bytes, piece by piece: by their byte order mark, the charset they came with, as UTF-16 or
 * UTF-8 by their look, in an older encoding by what its letters would say, or as Windows-1252, which
 * is what text in none of these mostly is.
 *
 * @throws Fault document_damaged for what is no text, such as a picture with the name of one
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

/**
 * All of a text at once.
 *
 * @throws Fault document_damaged as decodeText
 */
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
  const wide = unmarkedUtf16(sample)
  if (wide !== null) return wide
  if (isUtf8(sample, isCut)) return 'utf-8'
  if (isBinary(sample)) throw new Fault(documentFaults.document_damaged)
  return olderEncoding(sample) ?? 'windows-1252'
}

function isUtf8(sample: Uint8Array, isCut: boolean): boolean {
  return decodes(sample, 'utf-8', isCut)
}

function decodes(sample: Uint8Array, encoding: string, isCut: boolean): boolean {
  try {
    new TextDecoder(encoding, { fatal: true }).decode(sample, { stream: isCut })
    return true
  } catch {
    // That is the answer, not a failure.
    return false
  }
}

/** Of a hundred: a sentence in Cyrillic letters has 50, one in Chinese 100; a word or two has 25. */
const minConfidence = 40
const western: ReadonlySet<string> = new Set(['ISO-8859-1', 'windows-1252', 'UTF-8', 'ASCII'])

/**
 * What was usual before Unicode in Asia, Eastern Europe and the Near East, by how often letters stand
 * beside each other; null for western text and where the sample is too short to tell.
 */
function olderEncoding(sample: Uint8Array): string | null {
  const start = sample.subarray(0, sampleBytes)
  const likely = analyse(start)
    .filter(({ confidence }) => confidence >= minConfidence)
    // Who guesses may be wrong; the last character of a sample may be cut.
    .find(({ name }) => isEncoding(name) && decodes(start, name, true))
  return likely === undefined || western.has(likely.name) ? null : likely.name
}

/** Of Latin letters in UTF-16 every second byte is 0, and always the same one of the two. */
function unmarkedUtf16(sample: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  const zerosAt = (place: 0 | 1) =>
    sample.filter((byte, at) => byte === 0 && at % 2 === place).length
  const [even, odd] = [zerosAt(0), zerosAt(1)]
  const many = sample.length / 4
  if (odd > many && even === 0) return 'utf-16le'
  return even > many && odd === 0 ? 'utf-16be' : null
}

/** Bytes that are not UTF-8 and as often as here no characters that are written. */
const maxControlShare = 0.05

function isBinary(sample: Uint8Array): boolean {
  const controls = sample.filter((byte) => byte < 9 || (byte > 13 && byte < 32 && byte !== 27))
  return controls.length > sample.length * maxControlShare
}

function isEncoding(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== ''
  } catch {
    // A label that names no encoding: the bytes tell.
    return false
  }
}
