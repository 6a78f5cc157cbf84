import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * The o200k vocabulary of `gpt-tokenizer` in typed arrays.
 *
 * The library's own encoder keeps 200,000 strings in an array and a Map: 65 MB of memory and 130 ms
 * of a blocked event loop when it is loaded, 90 MB in use, half of what the service may take under
 * load. The same tokens as one run of bytes with a hash table take 5 MB and load between other work.
 * `count-tokens.test.ts` holds this against the library's count.
 */
export class Vocabulary {
  /** All tokens' bytes, one after another. */
  readonly #bytes: Uint8Array
  /** Where token `n` begins; one more at the end. Tokens stand in the order of their rank. */
  readonly #starts: Uint32Array
  /** Open addressing: rank + 1, or 0 for an empty place. */
  readonly #table: Uint32Array

  constructor(bytes: Uint8Array, starts: Uint32Array) {
    this.#bytes = bytes
    this.#starts = starts
    this.#table = new Uint32Array(tableSize)
  }

  /** Enters the tokens from `first` up to, not including, `end` into the table. */
  index(first: number, end: number): void {
    for (let rank = first; rank < end; rank += 1) {
      const start = this.#starts[rank] ?? 0
      const stop = this.#starts[rank + 1] ?? 0
      let place = hash(this.#bytes, start, stop)
      while (this.#table[place] !== 0) place = (place + 1) & (tableSize - 1)
      this.#table[place] = rank + 1
    }
  }

  /** The rank of the token that is exactly `piece[start…end)`, or -1. */
  rankOf(piece: Uint8Array, start: number, end: number): number {
    let place = hash(piece, start, end)
    for (let entry = this.#table[place]; entry; entry = this.#table[place]) {
      if (this.#holds(entry - 1, piece, start, end)) return entry - 1
      place = (place + 1) & (tableSize - 1)
    }
    return -1
  }

  #holds(rank: number, piece: Uint8Array, start: number, end: number): boolean {
    const at = this.#starts[rank] ?? 0
    if ((this.#starts[rank + 1] ?? 0) - at !== end - start) return false
    for (let i = start; i < end; i += 1) if (this.#bytes[at + i - start] !== piece[i]) return false
    return true
  }
}

/** Over twice the number of tokens, and a power of two. */
const tableSize = 1 << 19

/** Lines parsed between two turns of the event loop: about 2 ms of work. */
const linesAtATime = 10_000

/**
 * Reads the vocabulary file: a line a token, its bytes in base64 and its rank, in order of rank with
 * a gap here and there.
 */
export async function loadVocabulary(): Promise<Vocabulary> {
  const path = createRequire(import.meta.url).resolve('gpt-tokenizer/data/o200k_base.tiktoken')
  const file = await readFile(path)
  const bytes = Buffer.allocUnsafeSlow(file.length)
  const starts = new Uint32Array(1 << 18)
  let size = 0
  let count = 0
  let line = 0
  for (let at = 0; at < file.length; line += 1) {
    const space = file.indexOf(0x20, at)
    const newline = file.indexOf(0x0a, space)
    const end = newline === -1 ? file.length : newline
    const rank = Number(file.toString('latin1', space + 1, end))
    // Ranks that no token has become empty tokens, which no piece of text equals.
    while (count <= rank) starts[count++] = size
    size += bytes.write(file.toString('latin1', at, space), size, 'base64')
    at = end + 1
    if (line % linesAtATime === 0) await nextTurn()
  }
  starts[count] = size
  const vocabulary = new Vocabulary(
    Uint8Array.prototype.slice.call(bytes, 0, size),
    starts.slice(0, count + 1),
  )
  for (let first = 0; first < count; first += linesAtATime) {
    vocabulary.index(first, Math.min(first + linesAtATime, count))
    await nextTurn()
  }
  return vocabulary
}

/** FNV-1a over the bytes, folded to a place in the table. */
function hash(bytes: Uint8Array, start: number, end: number): number {
  let value = 0x811c9dc5
  for (let i = start; i < end; i += 1) value = Math.imul(value ^ (bytes[i] ?? 0), 0x01000193)
  return (value ^ (value >>> 15)) & (tableSize - 1)
}
