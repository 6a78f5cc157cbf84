import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'
import { requireHonoured, toFields } from './ai-sdk-fields.ts'
import { toFinish, toPrompt, toToolCall, toTools } from './ai-sdk-wire.ts'
import { AnswerLength } from './answer-length.ts'
import { CallInputs } from './call-inputs.ts'
import { thinkingOnlyOn, Thoughts } from './thoughts.ts'
import { failureOfError, failureOfStatus, logDetail } from '#platform/providers/failures.ts'
import {
  ModelFailure,
  type ModelAdapter,
  type ModelFinish,
  type ModelRequest,
  type TextListener,
  type ToolCall,
} from '#platform/models/model.ts'
import {
  lengthOfCalls,
  requireAnswerLength,
  type ProviderHttp,
} from '#platform/providers/provider-exchange.ts'
import type { PacketQueue } from '#platform/outbound-http/packet-queue.ts'
import { createProviderFetch, type ProviderFetch } from '#platform/providers/provider-fetch.ts'

/**
 * Creates the language model of one request. The packages are 17 MB and 65 ms each, and most
 * installations need none of them: the first call imports them.
 */
type OpenModel = (request: ModelRequest, fetch: ProviderFetch) => Promise<LanguageModelV4>

/**
 * A provider with a wire format of its own, through its package of the AI SDK. The package's model
 * is called directly: `ai` on top of it would add tools and retries that the turn has already.
 *
 * @param optionsOf what only this provider knows
 */
export function aiSdk(
  http: ProviderHttp,
  openModel: OpenModel,
  optionsOf: (request: ModelRequest) => ProviderOptions = () => ({}),
): ModelAdapter {
  const open = (request: ModelRequest, opened?: (packets: PacketQueue) => void) =>
    openModel(request, createProviderFetch(http, request.access, undefined, opened))
  return {
    async complete(asked) {
      const request = thinkingOnlyOn(asked)
      const { provider } = request.access
      const model = await open(request)
      const result = await callPackage(request, () =>
        model.doGenerate(callOptions(request, optionsOf(request))),
      )
      requireHonoured(result.warnings, request)
      const text = result.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
      const calls = result.content.flatMap((part) =>
        part.type === 'tool-call' ? [toToolCall(part, provider)] : [],
      )
      const thoughts = new Thoughts(provider)
      for (const [n, part] of result.content.entries())
        if (part.type === 'reasoning') thoughts.add(String(n), part.text, part.providerMetadata)
      const reasoning = result.content
        .map((part) => (part.type === 'reasoning' ? part.text : ''))
        .join('')
      const finish = toFinish(result.finishReason, result.usage, calls, thoughts.all)
      requireAnswerLength(http, text.length + reasoning.length + lengthOfCalls(calls))
      return { text, ...(reasoning === '' ? {} : { reasoning }), ...finish }
    },
    async stream(asked, listener) {
      const request = thinkingOnlyOn(asked)
      const body: Body = { packets: null }
      const model = await open(request, (packets) => (body.packets = packets))
      const { stream } = await callPackage(request, () =>
        model.doStream(callOptions(request, optionsOf(request))),
      )
      return await readParts(http, { stream, body }, request, listener)
    },
  }
}

/** The response of a stream. */
interface Body {
  /** Null before it has begun. */
  packets: PacketQueue | null
}

/** Text may wait for the text after it, but neither its beginning nor a call of a tool may. */
function spaceReads({ packets }: Body, { type }: LanguageModelV4StreamPart): void {
  if (type === 'tool-input-start' || type === 'tool-call') packets?.readAtOnce()
  else if (type === 'text-delta' || type === 'reasoning-delta') packets?.space()
}

async function readParts(
  http: ProviderHttp,
  { stream, body }: { stream: ReadableStream<LanguageModelV4StreamPart>; body: Body },
  request: ModelRequest,
  listener: TextListener,
): Promise<ModelFinish> {
  const reader = stream.getReader()
  const { provider } = request.access
  const calls: ToolCall[] = []
  const thoughts = new Thoughts(provider)
  const inputs = new CallInputs(request.hearCalls)
  const length = new AnswerLength()
  try {
    for (;;) {
      const { value: part } = await callPackage(request, () => reader.read())
      if (part === undefined)
        throw new ModelFailure('bad_answer', 'The stream ended without a finish reason.')
      if (part.type === 'stream-start') requireHonoured(part.warnings, request)
      if (part.type === 'error') throw await failure(request, part.error)
      if (part.type === 'finish')
        return toFinish(part.finishReason, part.usage, calls, thoughts.all)
      requireAnswerLength(http, length.add(part))
      spaceReads(body, part)
      await inputs.take(part, calls.length)
      if (part.type === 'tool-call') calls.push(toToolCall(part, provider))
      thoughts.take(part)
      if (part.type !== 'text-delta' && part.type !== 'reasoning-delta') continue
      if (part.delta === '') continue
      const hear = part.type === 'text-delta' ? listener : request.hearReasoning
      await hear?.([part.delta])
    }
  } finally {
    // Cancelling a failed stream rejects with the error that was thrown already.
    await reader.cancel().catch(() => undefined)
  }
}

type Asking = Pick<ModelRequest, 'access' | 'signal'>

type ProviderOptions = NonNullable<LanguageModelV4CallOptions['providerOptions']>

function callOptions(request: ModelRequest, own: ProviderOptions): LanguageModelV4CallOptions {
  const { access, messages, temperature, maxOutputTokens } = request
  return {
    // Other providers cache without a mark.
    prompt: toPrompt(messages, access.provider, access.provider === 'anthropic' ? request : {}),
    abortSignal: request.signal,
    ...(temperature === null ? {} : { temperature }),
    ...(maxOutputTokens === null ? {} : { maxOutputTokens }),
    ...toFields(request, own),
    ...toTools(request),
  }
}

/** Runs a step of a package and turns its errors into the port's failure. */
export async function callPackage<T>(request: Asking, run: () => PromiseLike<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (request.signal.aborted) throw request.signal.reason
    throw await failure(request, error)
  }
}

/**
 * The failure for an error that a package throws. A connection that fails before an answer is a
 * `ModelFailure` already, thrown by our `fetch`. A refusal is an `APICallError` with its status. Any
 * other error happened within an answer: it comes bare, or as the cause of an `APICallError` with a
 * status of success.
 */
async function failure(request: Asking, error: unknown): Promise<ModelFailure> {
  const { APICallError } = await import('@ai-sdk/provider')
  if (!APICallError.isInstance(error)) return failureOfError(error, true)
  const { statusCode = 200, responseHeaders, responseBody, cause, message } = error
  if (statusCode >= 200 && statusCode < 300) return failureOfError(cause ?? error, true)
  const detail = logDetail(responseBody ?? message, request.access.apiKey)
  return failureOfStatus(statusCode, responseHeaders ?? {}, detail)
}
