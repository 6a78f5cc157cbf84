import { asFailures, withBase, type AiSdkEndpoint } from './ai-sdk.ts'
import { checkEmbeddings } from '#platform/providers/openai-format/embedding-wire.ts'
import type { Embeddings, EmbeddingRequest } from '#platform/models/model.ts'

/** Google's embeddings, through the AI SDK's package: of its providers here only Google has any. */
export async function embedWithAiSdk(
  request: EmbeddingRequest,
  { baseUrl, fetch }: AiSdkEndpoint,
): Promise<Embeddings> {
  const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
  const { access, model, texts, purpose, signal } = request
  const google = createGoogleGenerativeAI({
    apiKey: access.apiKey ?? '',
    fetch,
    ...withBase(baseUrl),
  })
  const taskType = purpose === 'query' ? 'RETRIEVAL_QUERY' : 'RETRIEVAL_DOCUMENT'
  const { embeddings, usage } = await asFailures(request, () =>
    google.embedding(model).doEmbed({
      values: [...texts],
      abortSignal: signal,
      providerOptions: { google: { taskType } },
    }),
  )
  const vectors = embeddings.map((embedding) => Float32Array.from(embedding))
  return checkEmbeddings({ vectors, promptTokens: usage?.tokens ?? null }, texts.length)
}
