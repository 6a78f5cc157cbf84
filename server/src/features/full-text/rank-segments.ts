import { CpuSlice } from '#kernel/cpu-slice.ts'
import { b, k1 } from './index-store.ts'
import { maxSegmentChunks } from './segment-content.ts'
import type { Entry, LoadedSegment } from './segment.ts'

/**
 * A term that a question repeats n times weighs `(k3 + 1) n / (k3 + n)`: the constant of Okapi at TREC-3
 * to 8. Short questions repeat nothing; in a long one, repeated terms are what it is about.
 */
const k3 = 8

export function weightOfRepeated(count: number): number {
  return ((k3 + 1) * count) / (k3 + count)
}

export interface RankedChunk {
  readonly chunkId: number
  readonly score: number
}

export interface RankedSegments {
  readonly segments: readonly LoadedSegment[]
  /** Distinct, each with how often the question contains it. */
  readonly terms: ReadonlyMap<string, number>
  /** See `countHolders`. */
  readonly holders: ReadonlyMap<string, number>
}

/**
 * BM25 over all chunks that contain any of the terms: the best ones, and of equal ones the oldest. All
 * counts are exact and every sum is built in the order of the terms, so that neither the engine nor the
 * division into segments changes a score.
 */
export async function rankSegments(
  { segments, terms, holders }: RankedSegments,
  limit: number,
): Promise<RankedChunk[]> {
  const total = totalsOf(segments)
  const weights = weightsOf(terms, holders, total)
  const averageLength = Math.max(1, total.terms / Math.max(1, total.chunks))
  const lengthPart = (k1 * b) / averageLength
  const best = new BestChunks(limit)
  const slice = new CpuSlice()
  const scores = spare.pop() ?? new Float64Array(maxSegmentChunks)
  try {
    for (const segment of segments) {
      scores.fill(0, 0, segment.ids.length)
      for (const [term, weight] of weights) {
        const entry = segment.entries.get(term)
        if (entry === undefined) continue
        addScores(scores, entry, segment.lengths, { weight, lengthPart })
        if (slice.isOver) await slice.next()
      }
      best.add(segment, scores)
    }
  } finally {
    if (spare.length < maxSpare) spare.push(scores)
  }
  return best.end()
}

/** Score lists between searches: allocating half a megabyte for each takes longer than clearing it. */
const spare: Float64Array[] = []
const maxSpare = 2

interface Totals {
  readonly chunks: number
  readonly terms: number
}

function weightsOf(
  terms: ReadonlyMap<string, number>,
  holders: ReadonlyMap<string, number>,
  total: Totals,
): Map<string, number> {
  const weights = new Map<string, number>()
  for (const [term, count] of terms) {
    const chunks = holders.get(term)
    if (chunks === undefined) continue
    const rarity = inverseDocumentFrequency(chunks, total.chunks)
    weights.set(term, weightOfRepeated(count) * rarity * (k1 + 1))
  }
  return weights
}

/**
 * BM25's weight of a term, which is never negative.
 *
 * @param holders chunks that contain the term, at most `chunks`
 */
export function inverseDocumentFrequency(holders: number, chunks: number): number {
  return Math.log(1 + (chunks - holders + 0.5) / (holders + 0.5))
}

/** What the segments hold without removed chunks. */
function totalsOf(segments: readonly LoadedSegment[]): Totals {
  let [chunks, terms] = [0, 0]
  for (const { lengths, termCount, removed } of segments) {
    chunks += lengths.length
    terms += termCount
    for (const [at, isRemoved] of removed?.entries() ?? [])
      if (isRemoved === 1) [chunks, terms] = [chunks - 1, terms - (lengths[at] ?? 0)]
  }
  return { chunks, terms }
}

interface Factors {
  readonly weight: number
  readonly lengthPart: number
}

function addScores(
  scores: Float64Array,
  entry: Entry,
  lengths: Uint16Array,
  { weight, lengthPart }: Factors,
): void {
  const { numbers, frequencies, count } = readPostings(entry.postings, entry.count)
  const fixedPart = k1 * (1 - b)
  for (let at = 0; at < count; at += 1) {
    const number = numbers[at] ?? 0
    const frequency = frequencies[at] ?? 0
    const norm = frequency + fixedPart + lengthPart * (lengths[number] ?? 0)
    scores[number] = (scores[number] ?? 0) + (weight * frequency) / norm
  }
}

/** The best chunks of all segments. It keeps some more than it needs and sorts them now and then. */
class BestChunks {
  private kept: RankedChunk[] = []
  private least = 0
  private readonly limit: number

  constructor(limit: number) {
    this.limit = limit
  }

  add({ ids, removed }: LoadedSegment, scores: Float64Array): void {
    for (let number = 0; number < ids.length; number += 1) {
      const score = scores[number] ?? 0
      if (score === 0 || score < this.least || removed?.[number] === 1) continue
      this.kept.push({ chunkId: ids[number] ?? 0, score })
      if (this.kept.length >= this.limit * 2 + 100) this.shorten()
    }
  }

  end(): RankedChunk[] {
    this.shorten()
    return this.kept
  }

  private shorten(): void {
    this.kept.sort((one, other) => other.score - one.score || one.chunkId - other.chunkId)
    this.kept.length = Math.min(this.kept.length, this.limit)
    if (this.kept.length === this.limit) this.least = this.kept.at(-1)?.score ?? 0
  }
}

/** The number of chunks, still there, that contain each of the terms. Terms of no chunk are missing. */
export function countHolders(segments: readonly LoadedSegment[]): Map<string, number> {
  const holders = new Map<string, number>()
  for (const { entries, removed } of segments)
    for (const { term, count, postings } of entries.values()) {
      const live = removed === null ? count : countLive(readPostings(postings, count), removed)
      if (live > 0) holders.set(term, (holders.get(term) ?? 0) + live)
    }
  return holders
}

function countLive({ numbers, count }: Postings, removed: Uint8Array): number {
  let live = 0
  for (let at = 0; at < count; at += 1) live += 1 - (removed[numbers[at] ?? 0] ?? 0)
  return live
}

export interface Postings {
  readonly count: number
  readonly numbers: Uint32Array
  readonly frequencies: Uint32Array
}

let numbers = new Uint32Array(1024)
let frequencies = new Uint32Array(1024)

/**
 * Reads all postings of a term. The arrays are those of the next call, too, and may be longer than
 * `count`: allocating them for each term takes longer than reading.
 */
export function readPostings(bytes: Uint8Array, count: number): Postings {
  if (numbers.length < count) {
    numbers = new Uint32Array(count * 2)
    frequencies = new Uint32Array(count * 2)
  }
  const [toNumbers, toFrequencies] = [numbers, frequencies]
  let [at, number] = [0, -1]
  for (let index = 0; index < count; index += 1) {
    let byte = bytes[at++] ?? 0
    let step = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = bytes[at++] ?? 0
      step |= (byte & 127) << shift
    }
    let frequency = 1
    if ((step & 1) === 1) {
      byte = bytes[at++] ?? 0
      frequency = byte & 127
      for (let shift = 7; byte > 127; shift += 7) {
        byte = bytes[at++] ?? 0
        frequency |= (byte & 127) << shift
      }
    }
    number += step >>> 1
    toNumbers[index] = number
    toFrequencies[index] = frequency
  }
  return { count, numbers: toNumbers, frequencies: toFrequencies }
}
