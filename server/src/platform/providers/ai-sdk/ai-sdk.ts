import { maxAnswerBytes } from '#platform/providers/openai-format/openai-compatible.ts'
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'
import { toFinish, toPrompt, toToolCall, toTools } from './ai-sdk-wire.ts'
import { failureOfError, failureOfStatus, logDetail } from '#platform/providers/failures.ts'
import {
  ModelFailure,
  type ModelAdapter,
  type ModelEvent,
  type ModelRequest,
  type ToolCall,
} from '#platform/models/model.ts'
import type { ProviderFetch } from '#platform/providers/provider-fetch.ts'

export interface AiSdkEndpoint {
  /** As the provider's package takes it, version included; null for its own default. */
  readonly baseUrl: string | null
  readonly fetch: ProviderFetch
}

/** Makes the language model of one request; it imports the provider's package at first use. */
type OpenModel = (request: ModelRequest, endpoint: AiSdkEndpoint) => Promise<LanguageModelV4>

/**
 * The packages are 17 MB and 65 ms each, and most installations need none of them: they are loaded
 * by the first call. Their models are called directly; `ai` on top of them would add tools and
 * retries that the turn has its own way of doing.
 */
const openModel: Readonly<Record<string, OpenModel>> = {
  async anthropic({ model, access }, { baseUrl, fetch }) {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    return createAnthropic({ apiKey: access.apiKey ?? '', fetch, ...withBase(baseUrl) })(model)
  },
  async google({ model, access }, { baseUrl, fetch }) {
    const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
    return createGoogleGenerativeAI({ apiKey: access.apiKey ?? '', fetch, ...withBase(baseUrl) })(
      model,
    )
  },
}

export function isAiSdkProvider(provider: string): boolean {
  return Object.hasOwn(openModel, provider)
}

/** Providers with a wire format of their own, through the AI SDK's packages. */
export function createAiSdk(endpointOf: (request: ModelRequest) => AiSdkEndpoint): ModelAdapter {
  return {
    async complete(request) {
      const model = await open(request)
      const result = await asFailures(request, () => model.doGenerate(callOptions(request)))
      const text = result.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
      const calls = result.content.flatMap((part) =>
        part.type === 'tool-call' ? [toToolCall(part)] : [],
      )
      return { text, ...toFinish(result.finishReason, result.usage, calls) }
    },
    async *stream(request) {
      const model = await open(request)
      const { stream } = await asFailures(request, () => model.doStream(callOptions(request)))
      yield* readParts(stream, request)
    },
  }

  async function open(request: ModelRequest): Promise<LanguageModelV4> {
    const make = openModel[request.access.provider]
    if (make === undefined)
      throw new ModelFailure('refused_request', `No provider ${request.access.provider}.`)
    return make(request, endpointOf(request))
  }
}

async function* readParts(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  request: ModelRequest,
): AsyncGenerator<readonly ModelEvent[]> {
  const reader = stream.getReader()
  const calls: ToolCall[] = []
  let length = 0
  try {
    for (;;) {
      const { value: part } = await asFailures(request, () => reader.read())
      if (part === undefined)
        throw new ModelFailure('bad_answer', 'The stream ended without a finish reason.')
      if (part.type === 'error') throw await failure(request, part.error)
      if (part.type === 'finish') {
        yield [{ type: 'finish', ...toFinish(part.finishReason, part.usage, calls) }]
        return
      }
      if (part.type === 'tool-call') calls.push(toToolCall(part))
      if (part.type !== 'text-delta' || part.delta === '') continue
      length += part.delta.length
      if (length > maxAnswerBytes) throw new ModelFailure('bad_answer', 'The answer does not end.')
      yield [{ type: 'text', text: part.delta }]
    }
  } finally {
    // Cancelling a failed stream rejects with the error that was thrown already.
    await reader.cancel().catch(() => undefined)
  }
}

type Asking = Pick<ModelRequest, 'access' | 'signal'>

function callOptions(request: ModelRequest): LanguageModelV4CallOptions {
  const { temperature, maxOutputTokens } = request
  return {
    prompt: toPrompt(request.messages),
    abortSignal: request.signal,
    ...(temperature === null ? {} : { temperature }),
    ...(maxOutputTokens === null ? {} : { maxOutputTokens }),
    ...toTools(request),
  }
}

/** Runs a step of a package and turns what goes wrong into the port's failure. */
export async function asFailures<T>(request: Asking, run: () => PromiseLike<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (request.signal.aborted) throw request.signal.reason
    throw await failure(request, error)
  }
}

/**
 * What the packages throw. Connections that fail before an answer are `ModelFailure`s already, made
 * by our `fetch`; a refusal is an `APICallError` with its status; anything else went wrong within an
 * answer, as the cause of an `APICallError` with a good status or bare.
 */
async function failure(request: Asking, error: unknown): Promise<ModelFailure> {
  const { APICallError } = await import('@ai-sdk/provider')
  if (!APICallError.isInstance(error)) return failureOfError(error, true)
  const { statusCode = 200, responseHeaders, responseBody, cause, message } = error
  if (statusCode >= 200 && statusCode < 300) return failureOfError(cause ?? error, true)
  const detail = logDetail(responseBody ?? message, request.access.apiKey)
  return failureOfStatus(statusCode, responseHeaders ?? {}, detail)
}

export function withBase(baseUrl: string | null): { baseURL?: string } {
  return baseUrl === null ? {} : { baseURL: baseUrl }
}
