/**
 * Measures how many of the ten nearest vectors the blocks of SQLite find, in the ways that the vectors
 * of models may lie, and what one search costs in CPU time without reading the database.
 *
 *   npm run bench:vectors -- [vectors] [dimensions, separated by commas]
 */
import { BestEstimates } from '../server/src/kernel/best-estimates.ts'
import { blockOf, BlockQuestion } from '../server/src/kernel/vector-block.ts'
import {
  codeOfVector,
  cosineOfCodes,
  randomNumbers,
  vectorShapes,
} from '../server/test/support/knowledge/vector-shapes.ts'

const count = Number(process.argv[2] ?? 100_000)
const allDimensions = (process.argv[3] ?? '384').split(',').map(Number)
/** As in the service: `vectorsPerBlock`, and the limits of a search for the best hundred. */
const perBlock = 1024
const limits = { wanted: 100, most: 1500 }
const questionCount = 20

function measure(shape: string, dimensions: number): void {
  const next = vectorShapes[shape]?.(dimensions, randomNumbers(1))
  if (next === undefined) return
  const codes = Array.from({ length: count }, () => codeOfVector(next()))
  const blocks: Uint8Array[] = []
  for (let first = 0; first < count; first += perBlock) {
    const some = codes.slice(first, first + perBlock)
    const ids = some.map((_, at) => first + at)
    blocks.push(blockOf(ids, some))
  }
  let [found, candidates, cpuMs] = [0, 0, 0]
  for (let n = 0; n < questionCount; n += 1) {
    const code = codeOfVector(next())
    const startedAt = process.cpuUsage()
    const best = search(blocks, code)
    cpuMs += process.cpuUsage(startedAt).user / 1_000
    candidates += best.length
    found += countNearest(codes, best, code)
  }
  console.log(
    `  ${shape.padEnd(50)} recall@10 ${(found / questionCount / 10).toFixed(3)},`,
    `${Math.round(candidates / questionCount)} compared, ${(cpuMs / questionCount).toFixed(1)} ms`,
  )
}

function search(blocks: readonly Uint8Array[], code: Uint8Array): number[] {
  const question = new BlockQuestion(code)
  const best = new BestEstimates(limits)
  for (const block of blocks) best.add(question.estimate(block))
  return best.end()
}

/** How many of the candidates are as near as the tenth nearest vector, at most ten. */
function countNearest(
  codes: readonly Uint8Array[],
  candidates: readonly number[],
  code: Uint8Array,
) {
  const exact = Float64Array.from(codes, (other) => cosineOfCodes(code, other))
  const tenth = exact.toSorted().at(-10) ?? -1
  return Math.min(10, candidates.filter((id) => (exact[id] ?? -1) >= tenth).length)
}

for (const dimensions of allDimensions) {
  console.log(`${count} vectors of ${dimensions} dimensions`)
  for (const shape of Object.keys(vectorShapes)) measure(shape, dimensions)
}
