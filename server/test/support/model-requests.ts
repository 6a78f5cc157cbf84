import { readConfig } from '#config'
import type { ModelName } from '#kernel/model-id.ts'
import type { ModelEvent, ModelRequest, Models } from '#platform/models/model.ts'
import { createModels } from '#platform/providers/create-models.ts'
import { createOutbound } from '#platform/outbound-http/outbound.ts'

/** Any text as a model's name, checked or not: for adapters, which are behind the check. */
export function modelName(text: string): ModelName {
  return text as ModelName
}

/** A request to `openai/mock` that says "hi", with what the test changes. */
export function modelRequest({
  model = 'mock',
  ...changes
}: Partial<Omit<ModelRequest, 'model'>> & { model?: string } = {}): ModelRequest {
  return {
    model: modelName(model),
    access: { provider: 'openai', apiKey: 'sk-secret', baseUrl: null, trusted: true },
    messages: [{ role: 'user', content: 'hi' }],
    passages: [],
    temperature: null,
    maxOutputTokens: null,
    signal: new AbortController().signal,
    ...changes,
  }
}

export interface TestModelsOptions {
  /** The address of the mock server, which every provider uses. */
  readonly origin: string
  readonly allowPrivate?: readonly string[]
  readonly connectTimeoutMs?: number
  readonly firstByteTimeoutMs?: number
  readonly idleTimeoutMs?: number
}

export interface TestModels {
  readonly models: Models
  readonly logged: readonly string[]
  close(): Promise<void>
}

/** The real models and their log lines. A request without an address goes to the mock server. */
export function createTestModels(options: TestModelsOptions): TestModels {
  const { origin } = options
  const outbound = createOutbound({ allowPrivate: options.allowPrivate ?? [] })
  const logged: string[] = []
  const models = createModels({
    config: {
      modelConnectTimeoutMs: options.connectTimeoutMs ?? 2000,
      modelFirstByteTimeoutMs: options.firstByteTimeoutMs ?? 5000,
      modelIdleTimeoutMs: options.idleTimeoutMs ?? 5000,
    },
    log: { warn: (...line: unknown[]) => logged.push(JSON.stringify(line)) },
    outbound,
  })
  const { providers } = readConfig({
    OPENAI_BASE_URL: `${origin}/v1`,
    OLLAMA_BASE_URL: origin,
    ANTHROPIC_BASE_URL: origin,
    GOOGLE_BASE_URL: origin,
  })
  const addressed = <T extends Pick<ModelRequest, 'access'>>(request: T): T => {
    const { access } = request
    const baseUrl = access.baseUrl ?? providers.get(access.provider)?.baseUrl ?? null
    return { ...request, access: { ...access, baseUrl } }
  }
  return {
    models: {
      ...models,
      complete: (request) => models.complete(addressed(request)),
      stream: (request) => models.stream(addressed(request)),
      embed: (request) => models.embed(addressed(request)),
    },
    logged,
    async close() {
      await Promise.all([models.close(), outbound.close()])
    },
  }
}

export interface Collected {
  /** The text of each batch. */
  readonly batches: string[]
  readonly text: string
  /** Null when the stream failed. */
  readonly finish: Extract<ModelEvent, { type: 'finish' }> | null
  readonly error: unknown
}

/** Reads a stream to its end or failure. */
export async function collect(stream: AsyncIterable<readonly ModelEvent[]>): Promise<Collected> {
  const batches: string[] = []
  let finish: Collected['finish'] = null
  let error: unknown = null
  try {
    for await (const batch of stream) {
      batches.push(batch.map((event) => (event.type === 'text' ? event.text : '')).join(''))
      const last = batch.at(-1)
      if (last?.type === 'finish') finish = last
    }
  } catch (thrown) {
    error = thrown
  }
  return { batches, text: batches.join(''), finish, error }
}

/** Reads a stream step by step. */
export function iterate<T>(stream: AsyncIterable<T>): AsyncIterator<T> {
  return stream[Symbol.asyncIterator]()
}
