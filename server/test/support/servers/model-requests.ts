import { readConfig } from '#config'
import type { ModelName } from '#kernel/model-id.ts'
import type { ModelFinish, ModelRequest, Models, TextListener } from '#platform/models/model.ts'
import { createModels } from '#platform/providers/create-models.ts'
import { createOutbound } from '#platform/outbound-http/outbound.ts'
import type { ReadSchedule } from '#platform/outbound-http/read-schedule.ts'

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
  readonly answerCharacters?: number
  readonly connectTimeoutMs?: number
  readonly firstByteTimeoutMs?: number
  readonly idleTimeoutMs?: number
  readonly schedule?: ReadSchedule
}

/** One step of a stream: the texts of a packet, or its end. */
export type ModelStep =
  | { readonly type: 'texts'; readonly texts: readonly string[] }
  | ({ readonly type: 'finish' } & ModelFinish)

export interface TestModels {
  readonly models: Omit<Models, 'stream'> & {
    stream(request: ModelRequest): AsyncGenerator<ModelStep, void>
  }
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
      modelAnswerCharacters: options.answerCharacters ?? 2_000_000,
      modelConnectTimeoutMs: options.connectTimeoutMs ?? 2000,
      modelFirstByteTimeoutMs: options.firstByteTimeoutMs ?? 5000,
      modelIdleTimeoutMs: options.idleTimeoutMs ?? 5000,
    },
    log: { warn: (...line: unknown[]) => logged.push(JSON.stringify(line)) },
    outbound,
    ...(options.schedule && { schedule: options.schedule }),
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
      stream: (request) => stepsOf((listener) => models.stream(addressed(request), listener)),
      embed: (request) => models.embed(addressed(request)),
    },
    logged,
    async close() {
      await Promise.all([models.close(), outbound.close()])
    },
  }
}

/**
 * A stream that a test reads step by step: the model waits until the next step is read. Leaving the
 * loop ends the stream.
 */
export async function* stepsOf(
  stream: (listener: TextListener) => Promise<ModelFinish>,
): AsyncGenerator<ModelStep, void> {
  let heard = Promise.withResolvers<ModelStep>()
  let read = Promise.withResolvers<void>()
  const ended = stream(async (texts) => {
    heard.resolve({ type: 'texts', texts })
    await read.promise
  }).then((finish) => ({ type: 'finish', ...finish }) as const)
  try {
    for (;;) {
      const step = await Promise.race([heard.promise, ended])
      yield step
      if (step.type === 'finish') return
      heard = Promise.withResolvers()
      const last = read
      read = Promise.withResolvers()
      last.resolve()
    }
  } finally {
    read.promise.catch(() => undefined)
    read.reject(new Error('the reader has left'))
  }
}

export interface Collected {
  /** The text of each packet. */
  readonly batches: string[]
  readonly text: string
  /** Null when the stream failed. */
  readonly finish: Extract<ModelStep, { type: 'finish' }> | null
  readonly error: unknown
}

/** Reads a stream to its end or failure. */
export async function collect(stream: AsyncIterable<ModelStep>): Promise<Collected> {
  const batches: string[] = []
  let finish: Collected['finish'] = null
  let error: unknown = null
  try {
    for await (const step of stream)
      if (step.type === 'finish') finish = step
      else batches.push(step.texts.join(''))
  } catch (thrown) {
    error = thrown
  }
  return { batches, text: batches.join(''), finish, error }
}
