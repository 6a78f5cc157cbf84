import { remember } from '#kernel/remember.ts'
import {
  ModelFailure,
  type AnswerListener,
  type ModelAnswer,
  type ModelFinish,
  type ModelRequest,
  type ProviderAccess,
} from '#platform/models/model.ts'
import { readText, type Exchange } from '#platform/outbound-http/exchange.ts'
import { readEmbeddings } from '#platform/providers/embeddings.ts'
import { asFailure, failureOfStep } from '#platform/providers/failures.ts'
import { listModels, openAiList } from '#platform/providers/list-models.ts'
import type { ProviderAdapter } from '#platform/providers/provider.ts'
import {
  addressOf,
  callProvider,
  lengthOfCalls,
  maxAnswerBytes,
  requireAnswerLength,
  throwRefusal,
  type ProviderHttp,
} from '#platform/providers/provider-exchange.ts'
import { refusedField } from './openai-fields.ts'
import { AnswerStream } from './openai-answer-stream.ts'
import { readCompletion, requestBody } from './openai-wire.ts'

/** 64 vectors of 4,096 numbers, written out as JSON, are about 6 MB. */
const maxEmbeddingBytes = 32 * 1024 * 1024

/**
 * Any server that speaks OpenAI's wire format.
 *
 * @param baseUrlOf the address up to and including `/v1`; it may throw `ModelFailure`
 */
export function openAiFormat(
  http: ProviderHttp,
  baseUrlOf: (access: ProviderAccess) => string = addressOf,
): ProviderAdapter {
  const chatUrl = ({ access }: ModelRequest) => `${baseUrlOf(access)}/chat/completions`
  return {
    async complete(request) {
      const body = requestBody(request, false)
      const answer = await readWhole(
        http,
        await post(http, chatUrl(request), request, body),
        request,
      )
      return withProvider(answer, request.access)
    },
    async stream(request, listener) {
      const body = requestBody(request, true)
      const exchange = await post(http, chatUrl(request), request, body, 'text/event-stream')
      if (contentType(exchange) !== 'application/json')
        return withProvider(await readStream(http, exchange, request, listener), request.access)
      // Some servers ignore `stream`.
      const { text, refusal, reasoning, ...finish } = await readWhole(http, exchange, request)
      if (reasoning !== undefined) await request.hearReasoning?.([reasoning])
      // An answer of calls alone has no text.
      if (text !== '') await listener([text])
      if (refusal !== undefined) await listener([refusal], true)
      return withProvider(finish, request.access)
    },
    list: async (access, signal) =>
      listModels(http, access, signal, {
        url: `${baseUrlOf(access)}/models`,
        headers: authorization(access),
        names: openAiList,
      }),
    async embed(request) {
      const { model, texts } = request
      // base64, as OpenAI's own clients ask for: a quarter of the bytes, a tenth of the time to
      // parse. Servers that know only numbers answer with numbers.
      const body = JSON.stringify({ model, input: texts, encoding_format: 'base64' })
      const exchange = await post(http, `${baseUrlOf(request.access)}/embeddings`, request, body)
      return asFailure(request, true, async () => {
        const answer = await readText(exchange.packets, maxEmbeddingBytes)
        return await readEmbeddings(answer, texts.length)
      })
    },
  }
}

/** Names the provider of what calls carry for it. */
function withProvider<Finish extends ModelFinish>(
  finish: Finish,
  { provider }: ProviderAccess,
): Finish {
  const { toolCalls } = finish
  if (toolCalls === undefined) return finish
  const named = toolCalls.map((call) =>
    call.providerData === undefined ? call : { ...call, provider },
  )
  return { ...finish, toolCalls: named }
}

/** Nearly all calls go to a few addresses, and parsing one takes longer than writing the body. */
const parsed = remember(100, (url) => new URL(url))

async function post(
  http: ProviderHttp,
  url: string,
  { access, signal }: Pick<ModelRequest, 'access' | 'signal'>,
  body: string,
  accept = 'application/json',
): Promise<Exchange> {
  const exchange = await callProvider(http, {
    access,
    url: parsed(url),
    headers: { 'content-type': 'application/json', accept, ...authorization(access) },
    body,
    signal,
  })
  const { status } = exchange
  if (status >= 200 && status < 300) return exchange
  return await throwRefusal(exchange, access.apiKey, refusedField)
}

function authorization({ apiKey }: ProviderAccess): Readonly<Record<string, string>> {
  return apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }
}

async function readStream(
  http: ProviderHttp,
  exchange: Exchange,
  request: ModelRequest,
  listener: AnswerListener,
): Promise<ModelFinish> {
  const { packets } = exchange
  const answer = new AnswerStream(http, request)
  try {
    if (!isEventStream(exchange))
      throw new ModelFailure('bad_answer', `The answer is ${contentType(exchange)}.`)
    return await answer.read(packets, listener, (error) => failureOfStep(request, true, error))
  } finally {
    // Only the end of the body is missing: reading it allows the connection to be reused.
    if (answer.isFinished) packets.drain()
    else packets.discard()
  }
}

async function readWhole(
  http: ProviderHttp,
  { packets }: Exchange,
  request: ModelRequest,
): Promise<ModelAnswer> {
  return await asFailure(request, true, async () => {
    const answer = await readCompletion(await readText(packets, maxAnswerBytes))
    const { text, refusal = '', reasoning = '', toolCalls = [] } = answer
    const length = text.length + refusal.length + reasoning.length
    requireAnswerLength(http, length + lengthOfCalls(toolCalls))
    return { ...answer, citedPassages: null }
  })
}

function contentType({ headers }: Exchange): string {
  const [type = ''] = String(headers['content-type'] ?? '').split(';')
  return type.trim().toLowerCase()
}

/** A stream without a content type is accepted. */
function isEventStream(exchange: Exchange): boolean {
  const type = contentType(exchange)
  return type === '' || type === 'text/event-stream'
}
