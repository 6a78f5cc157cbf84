import { headingWeight, type IndexedChunk } from './index-store.ts'
import { PostingWriter } from './postings.ts'
import type { Entry, SegmentContent } from './segment.ts'

/** More chunks do not become one segment. */
export const maxSegmentChunks = 65_536

const maxLength = 0xffff

export function contentOf(chunks: readonly IndexedChunk[]): SegmentContent {
  const writers = new Map<string, PostingWriter>()
  const ids = new Uint32Array(chunks.length)
  const lengths = new Uint16Array(chunks.length)
  for (const [number, { id, headingTerms, bodyTerms }] of chunks.entries()) {
    ids[number] = storableId(id)
    lengths[number] = Math.min(headingTerms.length + bodyTerms.length, maxLength)
    for (const [term, frequency] of frequenciesOf(headingTerms, bodyTerms)) {
      const writer = writers.get(term) ?? new PostingWriter()
      writer.add(number, frequency)
      writers.set(term, writer)
    }
  }
  const entries = [...writers].map(([term, writer]) => entryOf(term, writer))
  // Rows in the order of their key are appended to the table's index.
  entries.sort((one, other) => (one.term < other.term ? -1 : 1))
  return { ids, lengths, entries }
}

export function entryOf(term: string, writer: PostingWriter): Entry {
  return { term, count: writer.count, postings: writer.end() }
}

function frequenciesOf(heading: readonly string[], body: readonly string[]): Map<string, number> {
  const frequencies = new Map<string, number>()
  for (const term of heading) frequencies.set(term, (frequencies.get(term) ?? 0) + headingWeight)
  for (const term of body) frequencies.set(term, (frequencies.get(term) ?? 0) + 1)
  return frequencies
}

function storableId(id: number): number {
  if (id > 0xffff_ffff) throw new Error(`The chunk ${id} does not fit into a segment`)
  return id
}

/** Little-endian, as every machine that Node runs on stores numbers. */
export function bytesOf(list: Uint32Array | Uint16Array): Uint8Array {
  return new Uint8Array(list.buffer, list.byteOffset, list.byteLength)
}

export function sumOf(lengths: Uint16Array): number {
  return lengths.reduce((sum, length) => sum + length, 0)
}
