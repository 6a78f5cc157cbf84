import { analyse } from 'chardet'
import { Fault } from '#kernel/fault.ts'
import { documentFaults, type Bytes } from './document.ts'

/** Enough to detect an encoding. */
const sampleBytes = 64 * 1024

/**
 * Decodes text piece by piece. The encoding is that of the byte order mark, or the given charset, or
 * UTF-16 or UTF-8 if the bytes look like it, or an older encoding by the statistics of its letters, or
 * else Windows-1252, the most common one.
 *
 * @throws Fault document_damaged for bytes that are not text, such as a picture
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
  if (decodes(sample, 'utf-8', isCut)) return 'utf-8'
  if (isBinary(sample)) throw new Fault(documentFaults.document_damaged)
  return olderEncoding(sample) ?? 'windows-1252'
}

function decodes(sample: Uint8Array, encoding: string, isCut: boolean): boolean {
  try {
    new TextDecoder(encoding, { fatal: true }).decode(sample, { stream: isCut })
    return true
  } catch {
    // Not a failure: the answer.
    return false
  }
}

/** Of 100. A sentence in Cyrillic has 50, one in Chinese 100, a word or two 25. */
const minConfidence = 40
const western: ReadonlySet<string> = new Set(['ISO-8859-1', 'windows-1252', 'UTF-8', 'ASCII'])

/**
 * An encoding from before Unicode of Asia, Eastern Europe or the Near East, detected by the frequency of
 * letter pairs. Null for western text and for a sample that is too short.
 */
function olderEncoding(sample: Uint8Array): string | null {
  const start = sample.subarray(0, sampleBytes)
  const likely = analyse(start)
    .filter(({ confidence }) => confidence >= minConfidence)
    // The guess may be wrong, and the last character of the sample may be cut off.
    .find(({ name }) => isEncoding(name) && decodes(start, name, true))
  return likely === undefined || western.has(likely.name) ? null : likely.name
}

/** In UTF-16, one of the two bytes of each Latin letter is 0: always the first or the second. */
function unmarkedUtf16(sample: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  const zerosAt = (place: 0 | 1) =>
    sample.filter((byte, at) => byte === 0 && at % 2 === place).length
  const [even, odd] = [zerosAt(0), zerosAt(1)]
  const many = sample.length / 4
  if (odd > many && even === 0) return 'utf-16le'
  return even > many && odd === 0 ? 'utf-16be' : null
}

/** Text has fewer control characters than this. */
const maxControlShare = 0.05

function isBinary(sample: Uint8Array): boolean {
  const controls = sample.filter((byte) => byte < 9 || (byte > 13 && byte < 32 && byte !== 27))
  return controls.length > sample.length * maxControlShare
}

function isEncoding(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== ''
  } catch {
    // An unknown label: the encoding is detected instead.
    return false
  }
}
