import type { ModelNames } from '#kernel/model-id.ts'
import type { Embeddings, EmbeddingRequest } from '#platform/models/embedding.ts'
import type {
  ModelAdapter,
  ProviderAccess,
  RequestField,
  ResponseFormat,
} from '#platform/models/model.ts'
import type { ProviderHttp } from './provider-exchange.ts'

/** One model provider: everything that Parley knows about it. */
export interface Provider {
  /** The first part of its models' ids. */
  readonly name: string
  /** The name that people see. */
  readonly title: string
  /** The environment variables that configure it; none for a provider inside Parley. */
  readonly variables: {
    readonly apiKey?: ProviderVariable
    readonly baseUrl?: ProviderVariable
  }
  /** Its public address; null where every operator runs a server of their own. */
  readonly address: string | null
  /** How its models are named. */
  readonly modelNames: ModelNames
  /** All its models, for a provider inside Parley: there is nothing to configure. */
  readonly models?: readonly string[]
  readonly families?: ModelFamilies
  /** Whether no model takes audio here, whatever it could do elsewhere. */
  readonly refusesAudio?: true
  /** Whether images must be within a request: the provider fetches none from an address. */
  readonly fetchesNoImages?: true
  /** What its wire format cannot express, or its API ignores; absent when it is OpenAI's own. */
  readonly refuses?: readonly RequestField[]
  /** Whether it holds its models to the form of an answer; absent when it does not. */
  enforces?(format: ResponseFormat, access: ProviderAccess): boolean
  connect(http: ProviderHttp): ProviderAdapter
}

interface ProviderVariable {
  readonly name: string
  /** What the documentation says about it. */
  readonly about: string
}

/**
 * What a maker's models can do, by the names it gives them: lowercase, without a vendor in front.
 * Servers and resellers offer models of many makers, so these count for every provider.
 */
interface ModelFamilies {
  readonly vision: readonly RegExp[]
  readonly audio?: readonly RegExp[]
  readonly tools: readonly RegExp[]
}

export interface ProviderAdapter extends ModelAdapter {
  /** The names of its models, those for conversation. */
  list(access: ProviderAccess, signal: AbortSignal): Promise<readonly string[]>
  /** Absent for a provider without embedding models. */
  embed?(request: EmbeddingRequest): Promise<Embeddings>
}
