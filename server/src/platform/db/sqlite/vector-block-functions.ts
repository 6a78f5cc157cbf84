import type { AggregateOptions, DatabaseSync, SQLInputValue } from 'node:sqlite'
import { BestEstimates } from '#kernel/best-estimates.ts'
import { SizedCache } from '#kernel/sized-cache.ts'
import { blockOf, BlockQuestion } from '#kernel/vector-block.ts'

/**
 * Defines the aggregate functions for vector blocks, so that they run where the rows are: a search
 * reads 20 MB for 100,000 vectors of 1,536 dimensions and returns the ids of some hundred.
 *
 * - `vector_block(id, code)`: a block of the rows' vectors; null for no rows
 * - `nearest_in_blocks(block id, block, code, wanted, most)`: the ids of at most `most` vectors that may
 *   be among the `wanted` nearest to the question `code`, as a JSON array
 * - `is_block_cached(block id)`: whether `block` may be null. Reading it takes as long as searching it.
 *
 * @param maxCachedBytes of the blocks that searches have read; they never change
 */
export function defineVectorBlocks(raw: DatabaseSync, maxCachedBytes: number): void {
  const cache = new SizedCache<number, Uint8Array>({
    maxBytes: maxCachedBytes,
    bytesOf: ({ length }) => length,
  })
  raw.function('is_block_cached', (id) => (cache.has(Number(id)) ? 1 : 0))
  define(raw, 'vector_block', {
    start: (): BlockRows => ({ ids: [], codes: [] }),
    step(rows, id, code) {
      if (typeof id !== 'number' || !(code instanceof Uint8Array)) throw new TypeError(usage)
      rows.ids.push(id)
      rows.codes.push(code)
      return rows
    },
    result: ({ ids, codes }) => (ids.length === 0 ? null : blockOf(ids, codes)),
  })
  define(raw, 'nearest_in_blocks', {
    start: (): Search | null => null,
    step(search, id, given, code, wanted, most) {
      const block = given ?? cache.get(Number(id))
      if (!(block instanceof Uint8Array && code instanceof Uint8Array)) throw new TypeError(usage)
      if (given !== null) cache.set(Number(id), block)
      const { question, best } = search ?? {
        question: new BlockQuestion(code),
        best: new BestEstimates({ wanted: Number(wanted), most: Number(most) }),
      }
      best.add(question.estimate(block))
      return { question, best }
    },
    // A vector that was deleted and added again may be in two blocks.
    result: (search) => JSON.stringify([...new Set(search?.best.end())]),
  })
}

const usage = 'expected (id, code) or (block id, block, code, wanted, most)'

interface BlockRows {
  readonly ids: number[]
  readonly codes: Uint8Array[]
}

interface Search {
  readonly question: BlockQuestion
  readonly best: BestEstimates
}

interface Aggregate<State> {
  start(): State
  step(state: State, ...values: SQLInputValue[]): State
  result(state: State): SQLInputValue
}

function define<State>(raw: DatabaseSync, name: string, aggregate: Aggregate<State>): void {
  // The types allow only SQL values as state, but SQLite never sees it.
  raw.aggregate(name, aggregate as unknown as AggregateOptions)
}
