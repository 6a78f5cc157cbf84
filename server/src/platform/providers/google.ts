import { z } from 'zod'
import { usesOnly } from '#kernel/json-schema/uses-only.ts'
import type { ModelName } from '#kernel/model-id.ts'
import type { ProviderAccess } from '#platform/models/model.ts'
import { aiSdk, callPackage } from './ai-sdk/ai-sdk.ts'
import { checkEmbeddings } from './embeddings.ts'
import { listModels, listOfModels } from './list-models.ts'
import { versionedAddressOf } from './provider-exchange.ts'
import { createProviderFetch, type ProviderFetch } from './provider-fetch.ts'
import type { Provider } from './provider.ts'

const family = /^gemini-(1\.5|[2-9]|pro-latest|flash-latest|flash-lite-latest)/

/** The family without the models that write images or speech. */
const hearing = new RegExp(`${family.source}(?!.*(image|tts|-live|embedding))`)

/** Those that can show their thoughts. Others refuse to be asked. */
const thinking =
  /^gemini-(2\.5|[3-9]|pro-latest|flash-latest|flash-lite-latest)(?!.*(image|tts|-live|embedding))/

/** 64 vectors of 3,072 numbers. */
const embeddingLimits = { maxBytes: 32 * 1024 * 1024, maxValues: 300_000 }

/** What Google's documentation lists for `responseJsonSchema`; it reads `oneOf` as `anyOf`. */
const keywords = [
  '$defs',
  '$id',
  '$ref',
  'additionalProperties',
  'anyOf',
  'enum',
  'items',
  'maxItems',
  'maximum',
  'minItems',
  'minimum',
  'prefixItems',
  'properties',
  'propertyOrdering',
  'required',
  'type',
]

const modelList = z
  .object({
    models: listOfModels(
      z.object({ name: z.string(), supportedGenerationMethods: z.array(z.string()).default([]) }),
    ),
  })
  .transform(({ models }) =>
    models
      .filter((model) => model.supportedGenerationMethods.includes('generateContent'))
      .map(({ name }) => name.replace(/^models\//, '')),
  )

export const google: Provider = {
  name: 'google',
  title: 'Google',
  variables: {
    apiKey: { name: 'GOOGLE_API_KEY', about: 'Turns on `google/<model>`.' },
    baseUrl: { name: 'GOOGLE_BASE_URL', about: "Another address for Google's API." },
  },
  address: 'https://generativelanguage.googleapis.com/v1beta',
  modelNames: {
    pattern: /^(?!.*\.\.)[a-z0-9][a-z0-9._-]*$/,
    // Its API writes `models/` in front; all its names are lowercase.
    canonical: (name) => name.toLowerCase().replace(/^models\//, ''),
  },
  families: { vision: [family], audio: [hearing], tools: [family] },
  // The API wants their media types, which an address does not show.
  fetchesNoImages: true,
  refuses: ['logitBias', 'verbosity', 'parallelToolCalls'],
  enforces: (format) => format.type === 'json_object' || usesOnly(format.schema, keywords),
  connect: (http) => ({
    ...aiSdk(
      http,
      async ({ model, access }, fetch) => (await open(access, fetch))(pathPart(model)),
      ({ model, hearReasoning }) =>
        hearReasoning !== undefined && thinking.test(model)
          ? { google: { thinkingConfig: { includeThoughts: true } } }
          : {},
    ),
    list: async (access, signal) =>
      listModels(http, access, signal, {
        url: `${versionedAddressOf(access, '/v1beta')}/models?pageSize=1000`,
        headers: access.apiKey === null ? {} : { 'x-goog-api-key': access.apiKey },
        names: modelList,
      }),
    async embed(request) {
      const { access, model, texts, purpose, signal } = request
      const provider = await open(access, createProviderFetch(http, access, embeddingLimits))
      const taskType = purpose === 'query' ? 'RETRIEVAL_QUERY' : 'RETRIEVAL_DOCUMENT'
      const { embeddings, usage } = await callPackage(request, () =>
        provider.embedding(pathPart(model)).doEmbed({
          values: [...texts],
          abortSignal: signal,
          providerOptions: { google: { taskType } },
        }),
      )
      const vectors = embeddings.map((embedding) => Float32Array.from(embedding))
      return checkEmbeddings({ vectors, promptTokens: usage?.tokens ?? null }, texts.length)
    },
  }),
}

/**
 * A name as one part of a path. The package writes it into the address as it is, so a name that
 * reached it unchecked could otherwise leave the path of the models.
 */
function pathPart(model: ModelName): string {
  return encodeURIComponent(model)
}

async function open(access: ProviderAccess, fetch: ProviderFetch) {
  const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
  const baseURL = versionedAddressOf(access, '/v1beta')
  return createGoogleGenerativeAI({ apiKey: access.apiKey ?? '', fetch, baseURL })
}
