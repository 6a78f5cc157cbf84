import { z } from 'zod'
import { parseJsonInSlices } from '#kernel/json-slices.ts'
import { ModelFailure, type ProviderAccess } from '#platform/models/model.ts'
import { openExchange, readText } from '#platform/outbound-http/exchange.ts'
import { asFailure } from './failures.ts'
import { throwRefusal, type ProviderHttp } from './provider-exchange.ts'

const maxListBytes = 4 * 1024 * 1024
/** A server with 400 models lists about 40,000 values. */
const maxListValues = 200_000
const maxModels = 2000

/** Names of models that are not for conversation, by the words that their makers use. */
const otherKinds =
  /(^|[-_/.:])(embed(ding)?s?|whisper|tts|dall-e|moderation|transcribe|realtime|audio|image|rerank(er)?|sora)([-_/.:\d]|$)/i

export interface Listing {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Reads the names from the body. */
  readonly names: z.ZodType<readonly string[]>
}

/** A list of which only the first models are read: checking each takes time. */
export function listOfModels<Model>(model: z.ZodType<Model>) {
  return z
    .array(z.unknown())
    .transform((all) => all.slice(0, maxModels))
    .pipe(z.array(model))
}

export const openAiList = z
  .object({ data: listOfModels(z.object({ id: z.string() })) })
  .transform(({ data }) => data.map(({ id }) => id))

/**
 * The names of the models that a provider lists, those that are for conversation.
 *
 * @throws ModelFailure; the signal's reason when it aborts
 */
export async function listModels(
  http: ProviderHttp,
  access: ProviderAccess,
  signal: AbortSignal,
  { url, headers, names }: Listing,
): Promise<readonly string[]> {
  const target = new URL(url)
  const request = { access, signal }
  const exchange = await asFailure(request, false, () =>
    openExchange({
      ...http.timeouts,
      dispatcher: http.dispatcher(access, target),
      method: 'GET',
      path: target.pathname + target.search,
      headers: { accept: 'application/json', ...headers },
      body: null,
      signal,
    }),
  )
  return await asFailure(request, true, async () => {
    if (exchange.status !== 200) await throwRefusal(exchange, access.apiKey)
    const body = await readText(exchange.packets, maxListBytes)
    const listed = names.safeParse(await parseJsonInSlices(body, maxListValues))
    if (!listed.success) throw new ModelFailure('bad_answer', 'The answer is no list of models.')
    return listed.data.filter((name) => name !== '' && !otherKinds.test(name)).slice(0, maxModels)
  })
}
