import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { startServer, type ModelServer } from './model-server.ts'

export interface EmbeddingServer extends ModelServer {
  /** Every text that was embedded, by the model that was asked, in order. */
  readonly texts: { readonly model: string; readonly text: string }[]
  /** Answers this status from now on; null embeds again. */
  refuse(status: number | null): void
  /** Makes every answer wait so long, in milliseconds. */
  delay(milliseconds: number): void
  /** Makes answers of a model wait until it is called again with false. */
  hold(model: string, isHeld: boolean): void
}

interface Options {
  /** Of each model by its name; 64 for every other. */
  readonly dimensions?: Readonly<Record<string, number>>
  /** What stands for what: words of one meaning are one point. */
  readonly synonyms?: Readonly<Record<string, string>>
  /** Words of the longest text that is embedded: a longer one is refused with all beside it. */
  readonly longest?: number
  /** False saves the memory of keeping what was asked, for benchmarks. */
  readonly record?: boolean
}

/**
 * An embedding server on loopback in OpenAI's and in Google's wire format. A text is the sum of its
 * words, each a direction that follows from its letters and the model's name: deterministic, texts
 * with common words are near each other, and two models have nothing in common. A model whose name
 * begins with `trigrams` sums pieces of three letters, one that begins with `random` knows no parts.
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

/** The embedding that a model of this server gives a text: of length 1. */
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
