import { CpuSlice } from '#kernel/cpu-slice.ts'
import type { ContentPart, ModelMessage, ModelUsage } from './model.ts'
import { Vocabulary } from './vocabulary.ts'

/**
 * Token counts in OpenAI's o200k vocabulary, for providers that report none: exact for OpenAI's
 * models since GPT-4o, an estimate for others. The vocabulary is loaded at first use.
 */
let loading: Promise<Vocabulary> | null = null

/** The end of an English word: `'s`, `'re`. */
const contraction = String.raw`(?:'(?:[sS]|[dD]|[mM]|[tT]|[lL][lL]|[vV][eE]|[rR][eE]))?`

/** o200k's pattern: it cuts a text into the pieces within which bytes are merged. */
const pieces = new RegExp(
  [
    String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+${contraction}`,
    String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*${contraction}`,
    String.raw`\p{N}{1,3}`,
    String.raw` ?[^\s\p{L}\p{N}]+[\r\n/]*`,
    String.raw`\s*[\r\n]+`,
    String.raw`\s+(?!\S)`,
    String.raw`\s+`,
  ].join('|'),
  'gu',
)

/** Characters that are cut into pieces at once: a text of this length needs no slices of time. */
const sliceLength = 64 * 1024

/**
 * Bytes merged at once. The time to merge grows with the square of a piece's length, and a text
 * without spaces is a single piece. Words are far shorter; in longer pieces a count may be one too
 * high per window.
 */
const windowBytes = 512

const encoder = new TextEncoder()

/** Scratch buffer for the bytes of a short piece: at most three for a UTF-16 unit. */
const scratch = new Uint8Array(windowBytes)
const shortLength = Math.floor(windowBytes / 3)

/** Tokens of `text`; names of special tokens count as plain text. */
export async function countTokens(text: string): Promise<number> {
  const vocabulary = await loadVocabulary()
  const slice = new CpuSlice()
  let count = 0
  for (let start = 0; start < text.length; start += sliceLength) {
    const part = text.length <= sliceLength ? text : text.slice(start, start + sliceLength)
    for (const [piece] of part.matchAll(pieces)) {
      count +=
        piece.length <= shortLength
          ? countWindow(vocabulary, scratch, 0, encoder.encodeInto(piece, scratch).written)
          : await countLong(vocabulary, encoder.encode(piece), slice)
      if (slice.isOver) await slice.next()
    }
  }
  return count
}

/** Tokens of OpenAI's frame around each message and the reply. */
const tokensPerMessage = 3
const tokensOfReply = 3

/** OpenAI's count for an image in low detail: the image's size is not known here. */
const tokensPerImage = 85

/** Bytes of base64 for a token of speech, at usual rates and OpenAI's ten tokens in a second. */
const audioBytesPerToken = { mp3: 2_000, wav: 4_000 } as const

async function tokensOf(part: ContentPart): Promise<number> {
  switch (part.type) {
    case 'text':
      return await countTokens(part.text)
    case 'image':
      return tokensPerImage
    case 'audio':
      return Math.ceil(part.data.length / audioBytesPerToken[part.format])
  }
}

/** The usage of a turn whose provider reports none. */
export async function countUsage(
  messages: readonly ModelMessage[],
  answer: string,
): Promise<ModelUsage> {
  let promptTokens = tokensOfReply
  for (const message of messages) {
    const { role, content } = message
    promptTokens += tokensPerMessage + (await countTokens(role))
    if (typeof content === 'string') promptTokens += await countTokens(content)
    else for (const part of content) promptTokens += await tokensOf(part)
    if (role === 'assistant')
      for (const call of message.toolCalls ?? [])
        promptTokens += await countTokens(`${call.name}${call.arguments}`)
  }
  return { promptTokens, completionTokens: await countTokens(answer) }
}

function loadVocabulary(): Promise<Vocabulary> {
  loading ??= Vocabulary.load().catch((error: unknown) => {
    loading = null
    throw error
  })
  return loading
}

async function countLong(
  vocabulary: Vocabulary,
  bytes: Uint8Array,
  slice: CpuSlice,
): Promise<number> {
  if (vocabulary.rankOf(bytes, 0, bytes.length) !== -1) return 1
  let count = 0
  for (let start = 0; start < bytes.length; start += windowBytes) {
    count += countWindow(vocabulary, bytes, start, Math.min(start + windowBytes, bytes.length))
    if (slice.isOver) await slice.next()
  }
  return count
}

/** Tokens of some bytes of a piece. */
function countWindow(vocabulary: Vocabulary, bytes: Uint8Array, from: number, to: number): number {
  return vocabulary.rankOf(bytes, from, to) === -1 ? mergeBytes(vocabulary, bytes, from, to) : 1
}

/**
 * Byte pair encoding: joins the neighbours whose union has the lowest rank until no union is a
 * token. Returns how many parts are left.
 */
function mergeBytes(vocabulary: Vocabulary, bytes: Uint8Array, from: number, to: number): number {
  const joinedRank = (start: number, end: number) => {
    const rank = vocabulary.rankOf(bytes, start, end)
    return rank === -1 ? Infinity : rank
  }
  const starts: number[] = []
  // ranks[i] is the rank of parts i and i + 1 joined.
  const ranks: number[] = []
  for (let i = from; i <= to; i += 1) {
    starts.push(i)
    if (i + 2 <= to) ranks.push(joinedRank(i, i + 2))
  }
  for (;;) {
    const lowest = indexOfLeast(ranks)
    if (lowest === -1) return starts.length - 1
    starts.splice(lowest + 1, 1)
    ranks.splice(lowest, 1)
    if (lowest < ranks.length)
      ranks[lowest] = joinedRank(at(starts, lowest), at(starts, lowest + 2))
    if (lowest > 0) ranks[lowest - 1] = joinedRank(at(starts, lowest - 1), at(starts, lowest + 1))
  }
}

/** Index of the first smallest number, or -1 when none is finite. */
function indexOfLeast(numbers: readonly number[]): number {
  let least = Infinity
  let index = -1
  for (let i = 0; i < numbers.length; i += 1) {
    const number = at(numbers, i)
    if (number < least) {
      least = number
      index = i
    }
  }
  return index
}

function at(list: readonly number[], index: number): number {
  return list[index] ?? Infinity
}
