import { chunksFromBytes } from './segment-index.ts'
import type { Run, RunRow, SegmentChunks, SegmentRow } from './segment.ts'

export interface MergePlan extends SegmentChunks {
  readonly runs: readonly Run[]
  /** By input, in order: the new number of each of its chunks, or -1 for a removed one. */
  readonly numbering: ReadonlyMap<number, Int32Array>
}

/** Numbers the chunks of all inputs, one input after the other, without removed ones. */
export function planMerge(inputs: readonly SegmentRow[], rows: readonly RunRow[]): MergePlan {
  const rowsOf = Map.groupBy(rows, ({ segment_id }) => segment_id)
  const runs: Run[] = []
  const ids: number[] = []
  const lengths: number[] = []
  const numbering = new Map<number, Int32Array>()
  for (const input of inputs) {
    const chunks = chunksFromBytes(input.chunk_ids, input.lengths)
    const numbers = new Int32Array(input.chunk_count).fill(-1)
    for (const { first, count, documentId } of liveRuns(input, rowsOf.get(input.id) ?? [])) {
      runs.push({ first: ids.length, count, documentId })
      for (let number = first; number < first + count; number += 1) {
        numbers[number] = ids.length
        ids.push(chunks.ids[number] ?? 0)
        lengths.push(chunks.lengths[number] ?? 0)
      }
    }
    numbering.set(input.id, numbers)
  }
  return { runs, ids: Uint32Array.from(ids), lengths: Uint16Array.from(lengths), numbering }
}

function liveRuns(input: SegmentRow, rows: readonly RunRow[]): Run[] {
  const { document_id: documentId, chunk_count: count } = input
  if (documentId !== null) return [{ first: 0, count, documentId }]
  return rows
    .filter(({ is_removed }) => is_removed === 0)
    .map((row) => ({
      first: row.first_number,
      count: row.chunk_count,
      documentId: row.document_id,
    }))
}
