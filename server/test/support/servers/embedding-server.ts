import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { startServer, type ModelServer } from './model-server.ts'

export interface EmbeddingServer extends ModelServer {
  /** Every embedded text with the model's name, in order. */
  readonly texts: { readonly model: string; readonly text: string }[]
  /** Responds with this status from now on; null embeds again. */
  refuse(status: number | null): void
  /** Delays every response by this many milliseconds. */
  delay(milliseconds: number): void
  /** Holds back the responses of a model until it is called again with false. */
  hold(model: string, isHeld: boolean): void
}

interface Options {
  /** Dimensions by model name; 64 for every other model. */
  readonly dimensions?: Readonly<Record<string, number>>
  /** Synonyms by word: words of one meaning get the same vector. */
  readonly synonyms?: Readonly<Record<string, string>>
  /** The greatest number of words in a text. A longer text makes the whole batch fail. */
  readonly longest?: number
  /** False keeps no requests, which saves memory in benchmarks. */
  readonly record?: boolean
}

/**
 * An embedding server on loopback, in OpenAI's and Google's wire formats. The vector of a text is
 * the sum of its words' vectors, which depend on the letters and the model's name. It is therefore
 * deterministic, texts with common words are close, and the vectors of two models are unrelated. A
 * model whose name begins with `trigrams` sums pieces of three letters; one that begins with
 * `random` hashes the whole text.
 */
export async function startEmbeddingServer(options: Options = {}): Promise<EmbeddingServer> {
  const texts: { model: string; text: string }[] = []
  const held = new Set<string>()
  let status: number | null = null
  let delayMs = 0
  const server = await startServer(async (response, { path, body }) => {
    const asked = path.includes(':') ? googleTexts(path, body) : openAiTexts(body)
    if (delayMs > 0) await sleep(delayMs)
    while (held.has(asked.model)) await sleep(5)
    response.setHeader('content-type', 'application/json')
    const isTooLong = asked.texts.some(
      (text) => wordsOf(text).length > (options.longest ?? Infinity),
    )
    if (status !== null || isTooLong) {
      response.writeHead(status ?? 400).end(JSON.stringify({ error: { message: 'refused' } }))
      return
    }
    const dimensions = options.dimensions?.[asked.model] ?? 64
    const vectors = asked.texts.map((text) => {
      if (options.record !== false) texts.push({ model: asked.model, text })
      return embed(text, asked.model, dimensions, options.synonyms ?? {})
    })
    response.end(JSON.stringify(asked.shape(vectors)))
  }, options.record)
  return {
    ...server,
    texts,
    refuse: (wanted) => (status = wanted),
    delay: (milliseconds) => (delayMs = milliseconds),
    hold: (model, isHeld) => (isHeld ? held.add(model) : held.delete(model)),
  }
}

interface Asked {
  readonly model: string
  readonly texts: readonly string[]
  shape(vectors: readonly Float32Array[]): unknown
}

function openAiTexts(body: Record<string, unknown>): Asked {
  const texts = [body.input].flat().map(String)
  const isBinary = body.encoding_format === 'base64'
  return {
    model: String(body.model),
    texts,
    shape: (vectors) => ({
      object: 'list',
      model: body.model,
      data: vectors.map((vector, index) => ({
        object: 'embedding',
        index,
        embedding: isBinary ? Buffer.from(vector.buffer).toString('base64') : [...vector],
      })),
      usage: { prompt_tokens: tokensOf(texts), total_tokens: tokensOf(texts) },
    }),
  }
}

function googleTexts(path: string, body: Record<string, unknown>): Asked {
  const model = /models\/([^:]+):/.exec(path)?.[1] ?? ''
  const requests = Array.isArray(body.requests) ? body.requests : [body]
  const texts = requests.map(({ content }) => String(content.parts[0].text))
  const values = (vector: Float32Array) => ({ values: [...vector] })
  return {
    model,
    texts,
    shape: (vectors) =>
      path.includes(':batch')
        ? { embeddings: vectors.map(values) }
        : { embedding: values(vectors[0] ?? new Float32Array()) },
  }
}

function tokensOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + wordsOf(text).length, 0)
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

function partsOf(text: string, model: string): string[] {
  if (model.startsWith('random')) return [text]
  if (!model.startsWith('trigrams')) return wordsOf(text)
  const letters = wordsOf(text).join(' ')
  return Array.from({ length: Math.max(1, letters.length - 2) }, (_, at) =>
    letters.slice(at, at + 3),
  )
}

const directions = new Map<string, Float32Array>()

/** The embedding of a text by a model of this server, normalized to length 1. */
export function embed(
  text: string,
  model: string,
  dimensions: number,
  synonyms: Readonly<Record<string, string>> = {},
): Float32Array {
  const sum = new Float32Array(dimensions)
  for (const word of partsOf(text, model)) {
    const direction = directionOf(`${model} ${synonyms[word] ?? word}`, dimensions)
    for (let at = 0; at < dimensions; at++) sum[at] = (sum[at] ?? 0) + (direction[at] ?? 0)
  }
  const length = Math.hypot(...sum) || 1
  return sum.map((value) => value / length)
}

function directionOf(name: string, dimensions: number): Float32Array {
  const key = `${dimensions} ${name}`
  const known = directions.get(key)
  if (known !== undefined) return known
  const bytes = createHash('shake256', { outputLength: dimensions * 2 })
    .update(name)
    .digest()
  const made = Float32Array.from({ length: dimensions }, (_, at) => bytes.readInt16LE(at * 2))
  if (directions.size > 100_000) directions.clear()
  directions.set(key, made)
  return made
}
