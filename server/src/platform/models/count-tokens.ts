import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ModelMessage, ModelUsage } from './model.ts'
import { loadVocabulary, type Vocabulary } from './vocabulary.ts'

/**
 * Token counts in OpenAI's o200k vocabulary, for providers that report none: exact for OpenAI's
 * models since GPT-4o, an estimate for others. Loaded at first use.
 */
interface Tokenizer {
  readonly vocabulary: Vocabulary
  /** Cuts a text into the pieces within which bytes are merged. */
  readonly pieces: RegExp
}

let loading: Promise<Tokenizer> | null = null

/** Characters counted between two turns of the event loop: about 5 ms of work. */
const sliceLength = 64 * 1024

/**
 * Bytes merged at once. Merging takes time in the square of a piece's length, and one piece can be
 * as long as the whole text when it has no space in it. Pieces of a language are far shorter; in
 * longer ones a count may be over by one in a window.
 */
const windowBytes = 512

const encoder = new TextEncoder()

/** Tokens of `text`; names of special tokens in it count as the plain text they are. */
export async function countTokens(text: string): Promise<number> {
  const tokenizer = await loadTokenizer()
  let count = 0
  for (let start = 0; start < text.length; start += sliceLength) {
    if (start > 0) await nextTurn()
    const slice = text.length <= sliceLength ? text : text.slice(start, start + sliceLength)
    for (const [piece] of slice.matchAll(tokenizer.pieces))
      count += countPiece(tokenizer.vocabulary, encoder.encode(piece))
  }
  return count
}

/** OpenAI's framing of a message and of the answer it asks for, in tokens. */
const tokensPerMessage = 3
const tokensOfReply = 3

/** What OpenAI counts for an image in low detail: the size is not known here. */
const tokensPerImage = 85

/** What a provider that reports no usage would have counted. */
export async function countUsage(
  messages: readonly ModelMessage[],
  answer: string,
): Promise<ModelUsage> {
  let promptTokens = tokensOfReply
  for (const { role, content } of messages) {
    promptTokens += tokensPerMessage + (await countTokens(role))
    for (const part of typeof content === 'string' ? [{ type: 'text', text: content }] : content)
      promptTokens += 'text' in part ? await countTokens(part.text) : tokensPerImage
  }
  return { promptTokens, completionTokens: await countTokens(answer) }
}

function loadTokenizer(): Promise<Tokenizer> {
  loading ??= load().catch((error: unknown) => {
    loading = null
    throw error
  })
  return loading
}

async function load(): Promise<Tokenizer> {
  const [vocabulary, { O200KBase }] = await Promise.all([
    loadVocabulary(),
    import('gpt-tokenizer/encodingParams/o200k_base'),
  ])
  return { vocabulary, pieces: O200KBase([]).tokenSplitRegex }
}

function countPiece(vocabulary: Vocabulary, piece: Uint8Array): number {
  if (vocabulary.rankOf(piece, 0, piece.length) !== -1) return 1
  let count = 0
  for (let start = 0; start < piece.length; start += windowBytes)
    count += mergeBytes(vocabulary, piece.subarray(start, start + windowBytes))
  return count
}

/**
 * Byte pair encoding: joins the neighbours whose union has the lowest rank until no union is a
 * token. Returns how many parts are left.
 */
function mergeBytes(vocabulary: Vocabulary, bytes: Uint8Array): number {
  const starts = Array.from({ length: bytes.length + 1 }, (_, index) => index)
  // ranks[i] is the rank of parts i and i + 1 joined.
  const ranks = starts.slice(2).map((end) => joinedRank(end - 2, end))
  while (ranks.length > 0) {
    let lowest = 0
    for (let i = 1; i < ranks.length; i += 1) if (at(ranks, i) < at(ranks, lowest)) lowest = i
    if (at(ranks, lowest) === Infinity) break
    starts.splice(lowest + 1, 1)
    ranks.splice(lowest, 1)
    if (lowest < ranks.length)
      ranks[lowest] = joinedRank(at(starts, lowest), at(starts, lowest + 2))
    if (lowest > 0) ranks[lowest - 1] = joinedRank(at(starts, lowest - 1), at(starts, lowest + 1))
  }
  return starts.length - 1

  function joinedRank(start: number, end: number): number {
    const rank = vocabulary.rankOf(bytes, start, end)
    return rank === -1 ? Infinity : rank
  }
}

function at(list: readonly number[], index: number): number {
  return list[index] ?? Infinity
}
