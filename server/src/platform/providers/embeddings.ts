import { z } from 'zod'
import { CpuSlice } from '#kernel/cpu-slice.ts'
import { parseJsonInSlices } from '#kernel/json-slices.ts'
import type { Embeddings } from '#platform/models/embedding.ts'
import { ModelFailure } from '#platform/models/model.ts'

const answer = z.object({
  data: z.array(
    z.object({
      index: z.int().min(0).optional(),
      // Checked number by number below: a schema takes several times as long.
      embedding: z.union([z.string(), z.array(z.unknown())]),
    }),
  ),
  usage: z
    .object({ prompt_tokens: z.int().min(0) })
    .nullish()
    .catch(null),
})

/**
 * OpenAI's answer to `POST /embeddings`, vectors as numbers or as base64 of 32-bit floats.
 *
 * @throws ModelFailure `bad_answer`
 */
export async function readEmbeddings(body: string, wanted: number): Promise<Embeddings> {
  const read = answer.safeParse(await parsed(body))
  if (!read.success) throw new ModelFailure('bad_answer', `No embeddings: ${body.slice(0, 300)}`)
  const { data, usage } = read.data
  const inOrder = data.map((one, at) => ({ at: one.index ?? at, embedding: one.embedding }))
  inOrder.sort((one, other) => one.at - other.at)
  const slice = new CpuSlice()
  const vectors: Float32Array[] = []
  for (const { embedding } of inOrder) {
    if (slice.isOver) await slice.next()
    vectors.push(typeof embedding === 'string' ? decode(embedding) : fromNumbers(embedding))
  }
  return checkEmbeddings({ vectors, promptTokens: usage?.prompt_tokens ?? null }, wanted)
}

/**
 * Returns the embeddings after checking them: one for each text, of the same length, all numbers.
 *
 * @throws ModelFailure `bad_answer`
 */
export function checkEmbeddings(embeddings: Embeddings, wanted: number): Embeddings {
  const { vectors } = embeddings
  if (vectors.length !== wanted)
    throw new ModelFailure('bad_answer', `${vectors.length} embeddings for ${wanted} texts.`)
  const dimensions = vectors[0]?.length ?? 0
  for (const vector of vectors) {
    if (vector.length === 0 || vector.length !== dimensions)
      throw new ModelFailure('bad_answer', 'Embeddings of different lengths in one answer.')
    if (!vector.every(Number.isFinite))
      throw new ModelFailure('bad_answer', 'An embedding contains a value that is no number.')
  }
  return embeddings
}

/** 64 vectors of 8,192 numbers. */
const maxValues = 600_000

async function parsed(body: string): Promise<unknown> {
  try {
    return await parseJsonInSlices(body, maxValues)
  } catch (cause) {
    throw new ModelFailure('bad_answer', `No embeddings: ${body.slice(0, 300)}`, { cause })
  }
}

/** Anything else becomes NaN, which is refused with the rest. */
function fromNumbers(values: readonly unknown[]): Float32Array {
  return Float32Array.from(values, (value) => (typeof value === 'number' ? value : Number.NaN))
}

function decode(base64: string): Float32Array {
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length === 0 || bytes.length % 4 !== 0)
    throw new ModelFailure('bad_answer', `An embedding is ${bytes.length} bytes long.`)
  // The wire is little-endian on every machine, and the bytes may be unaligned in their buffer.
  return Float32Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(at * 4))
}
