import { z } from 'zod'
import { openExchange, readAll } from '#platform/outbound-http/exchange.ts'
import { failureOfError, logDetail } from './failures.ts'
import { ModelFailure, type ProviderAccess } from '#platform/models/model.ts'
import { aiSdkBaseUrl, openAiBaseUrl, type ProviderAddresses } from './provider-addresses.ts'
import { throwRefusal, type DispatcherOf, type ProviderTimeouts } from './provider-exchange.ts'

const maxListBytes = 4 * 1024 * 1024
const maxModels = 2000

/** Models of other kinds, by the words that their makers name them with: no conversation is had. */
const otherKinds =
  /(^|[-_/.:])(embed(ding)?s?|whisper|tts|dall-e|moderation|transcribe|realtime|audio|image|rerank(er)?|sora)([-_/.:\d]|$)/i

interface Listing {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Null when the body is no list. */
  readonly read: (body: unknown) => readonly string[] | null
}

const openAiList = z.object({ data: z.array(z.object({ id: z.string() })) })
const googleList = z.object({
  models: z.array(
    z.object({ name: z.string(), supportedGenerationMethods: z.array(z.string()).default([]) }),
  ),
})

/**
 * The names of the models that a provider says it has, those that are for conversation.
 *
 * @throws ModelFailure; the signal's reason when it aborts
 */
export async function listProviderModels(
  access: ProviderAccess,
  way: {
    readonly dispatcherOf: DispatcherOf
    readonly addresses: ProviderAddresses
    readonly timeouts: ProviderTimeouts
    readonly signal: AbortSignal
  },
): Promise<readonly string[]> {
  const listing = listingOf(access, way.addresses)
  const body = await get(listing, access, way)
  const parsed = listing.read(body)
  if (parsed === null) throw new ModelFailure('bad_answer', 'The answer is no list of models.')
  return parsed.filter((name) => name !== '' && !otherKinds.test(name)).slice(0, maxModels)
}

function listingOf(access: ProviderAccess, addresses: ProviderAddresses): Listing {
  const key = access.apiKey
  if (access.provider === 'anthropic') {
    const base = aiSdkBaseUrl(access, addresses) ?? 'https://api.anthropic.com/v1'
    return {
      url: `${base}/models?limit=1000`,
      headers: { 'anthropic-version': '2023-06-01', ...(key === null ? {} : { 'x-api-key': key }) },
      read: readOpenAi,
    }
  }
  if (access.provider === 'google') {
    const base =
      aiSdkBaseUrl(access, addresses) ?? 'https://generativelanguage.googleapis.com/v1beta'
    return {
      url: `${base}/models?pageSize=1000`,
      headers: key === null ? {} : { 'x-goog-api-key': key },
      read: readGoogle,
    }
  }
  return {
    url: `${openAiBaseUrl(access, addresses)}/models`,
    headers: key === null ? {} : { authorization: `Bearer ${key}` },
    read: readOpenAi,
  }
}

/** Anthropic's list has OpenAI's `data[].id` too. */
function readOpenAi(body: unknown): readonly string[] | null {
  const list = openAiList.safeParse(body)
  return list.success ? list.data.data.map(({ id }) => id) : null
}

function readGoogle(body: unknown): readonly string[] | null {
  const list = googleList.safeParse(body)
  if (!list.success) return null
  return list.data.models
    .filter((model) => model.supportedGenerationMethods.includes('generateContent'))
    .map(({ name }) => name.replace(/^models\//, ''))
}

async function get(
  { url, headers }: Listing,
  { apiKey }: ProviderAccess,
  way: Parameters<typeof listProviderModels>[1],
): Promise<unknown> {
  const target = new URL(url)
  let answering = false
  try {
    const exchange = await openExchange({
      ...way.timeouts,
      dispatcher: way.dispatcherOf(target),
      method: 'GET',
      path: target.pathname + target.search,
      headers: { accept: 'application/json', ...headers },
      body: null,
      signal: way.signal,
    })
    if (exchange.status !== 200) await throwRefusal(exchange, apiKey)
    answering = true
    const body = await readAll(exchange.packets, maxListBytes)
    return JSON.parse(body.toString())
  } catch (error) {
    if (way.signal.aborted) throw way.signal.reason
    const failure = failureOfError(error, answering)
    throw new ModelFailure(failure.reason, logDetail(failure.message, apiKey), { cause: error })
  }
}
