import { readFile } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'

/**
 * OpenAI's o200k vocabulary as one run of bytes with a hash table: 5 MB of memory, loaded between
 * other work. A package's encoder keeps 200,000 strings in an array and a Map: 90 MB in use, and a
 * blocked event loop for 130 ms. `count-tokens.test.ts` compares the counts with a package's.
 */
export class Vocabulary {
  /** All tokens in order of their rank, each after a byte with its length. */
  readonly #bytes: Uint8Array
  /** Where the bytes of each token begin. */
  readonly #starts = new Uint32Array(maxTokens)
  /** Open addressing: rank + 1, or 0 for an empty slot. */
  readonly #table = new Uint32Array(tableSize)

  private constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** Reads the file that `tools/write-vocabulary.ts` writes. */
  static async load(): Promise<Vocabulary> {
    const file = await readFile(new URL('./o200k-vocabulary.br', import.meta.url))
    const vocabulary = new Vocabulary(await promisify(brotliDecompress)(file))
    let start = 1
    for (let rank = 0; start < vocabulary.#bytes.length; rank += 1) {
      start = vocabulary.#add(rank, start)
      if (rank % tokensAtATime === 0) await nextTurn()
    }
    return vocabulary
  }

  /** Returns where the bytes of the next token begin. */
  #add(rank: number, start: number): number {
    const end = start + (this.#bytes[start - 1] ?? 0)
    this.#starts[rank] = start
    let slot = hash(this.#bytes, start, end)
    while (this.#table[slot] !== 0) slot = (slot + 1) & (tableSize - 1)
    this.#table[slot] = rank + 1
    return end + 1
  }

  /** The rank of the token that is exactly `piece[start…end)`, or -1. */
  rankOf(piece: Uint8Array, start: number, end: number): number {
    let slot = hash(piece, start, end)
    for (let entry = this.#table[slot]; entry; entry = this.#table[slot]) {
      if (this.#holds(entry - 1, piece, start, end)) return entry - 1
      slot = (slot + 1) & (tableSize - 1)
    }
    return -1
  }

  #holds(rank: number, piece: Uint8Array, start: number, end: number): boolean {
    const at = this.#starts[rank] ?? 0
    if (this.#bytes[at - 1] !== end - start) return false
    for (let i = start; i < end; i += 1) if (this.#bytes[at + i - start] !== piece[i]) return false
    return true
  }
}

/** At least the number of tokens. */
const maxTokens = 200_000

/** Over twice the number of tokens, and a power of two. */
const tableSize = 1 << 19

/** Tokens indexed between two turns of the event loop: about 2 ms of work. */
const tokensAtATime = 10_000

/** FNV-1a over the bytes, folded to a slot of the table. */
function hash(bytes: Uint8Array, start: number, end: number): number {
  let value = 0x811c9dc5
  for (let i = start; i < end; i += 1) value = Math.imul(value ^ (bytes[i] ?? 0), 0x01000193)
  return (value ^ (value >>> 15)) & (tableSize - 1)
}
