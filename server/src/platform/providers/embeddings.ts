import { z } from 'zod'
import { ModelFailure, type Embeddings } from '#platform/models/model.ts'

const answer = z.object({
  data: z.array(
    z.object({
      index: z.int().min(0).optional(),
      embedding: z.union([z.string(), z.array(z.number())]),
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
export function readEmbeddings(body: unknown, wanted: number): Embeddings {
  const read = answer.safeParse(body)
  if (!read.success)
    throw new ModelFailure('bad_answer', `No embeddings: ${JSON.stringify(body).slice(0, 300)}`)
  const { data, usage } = read.data
  const inOrder = data.map((one, at) => ({ at: one.index ?? at, embedding: one.embedding }))
  inOrder.sort((one, other) => one.at - other.at)
  const vectors = inOrder.map(({ embedding }) =>
    typeof embedding === 'string' ? decode(embedding) : Float32Array.from(embedding),
  )
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

function decode(base64: string): Float32Array {
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length === 0 || bytes.length % 4 !== 0)
    throw new ModelFailure('bad_answer', `An embedding is ${bytes.length} bytes long.`)
  // The wire is little-endian on every machine, and the bytes may be unaligned in their buffer.
  return Float32Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(at * 4))
}
