/**
 * The model port: one request shape, three adapters (`openai-compatible`, `ai-sdk`, `extractive`).
 * Adapters throw `ModelFailure` and nothing else that is expected.
 */

export interface TextPart {
  readonly type: 'text'
  readonly text: string
}

/** `url` is `https:` or a `data:` URL, as the client sent it. */
export interface ImagePart {
  readonly type: 'image'
  readonly url: string
}

export type ContentPart = TextPart | ImagePart

export type ModelRole = 'system' | 'user' | 'assistant'

/** Something said; an assistant may ask for tools with it. */
export interface SpokenMessage {
  readonly role: ModelRole
  readonly content: string | readonly ContentPart[]
  /** Of an assistant only; a `ToolMessage` for each follows at once. */
  readonly toolCalls?: readonly ToolCall[]
}

/** What a tool gave, in answer to the call of that id. */
export interface ToolMessage {
  readonly role: 'tool'
  readonly content: string
  readonly toolCallId: string
  readonly toolName: string
}

export type ModelMessage = SpokenMessage | ToolMessage

/** A tool as it is offered to a model. */
export interface ModelTool {
  /** Letters, digits, `_` and `-`, at most 64, beginning with a letter. */
  readonly name: string
  readonly description: string
  /** JSON Schema of an object. */
  readonly parameters: Readonly<Record<string, unknown>>
  /** Every field is required and plain, so that providers can hold the model to the schema. */
  readonly strict: boolean
}

export interface ToolCall {
  readonly id: string
  readonly name: string
  /** JSON as the model wrote it: it may be neither valid nor what the schema asks for. */
  readonly arguments: string
  /** Opaque data that the provider wants returned with the result, such as a signature. */
  readonly providerData?: unknown
}

/** A piece of the agent's knowledge that retrieval found for this turn, best first. */
export interface Passage {
  readonly sourceId: string
  readonly title: string
  readonly url: string | null
  readonly page: number | null
  readonly heading: string
  readonly text: string
  readonly score: number
}

/** How to reach a provider. */
export interface ProviderAccess {
  readonly provider: string
  readonly apiKey: string | null
  /** Null for a provider inside Parley: its models cost no network and call no tools. */
  readonly baseUrl: string | null
  /** Whether the address comes from the environment or the provider; false when a person typed it. */
  readonly trusted: boolean
}

export interface ModelRequest {
  /** The part of the model id after the provider: `gpt-5.2` of `openai/gpt-5.2`. */
  readonly model: string
  readonly access: ProviderAccess
  /** System messages first, then the conversation, oldest first. Never empty. */
  readonly messages: readonly ModelMessage[]
  /** Already written into a system message for adapters that call a model; `extractive` answers from it. */
  readonly passages: readonly Passage[]
  readonly temperature: number | null
  readonly maxOutputTokens: number | null
  readonly tools?: readonly ModelTool[]
  /**
   * `none` sends the tool definitions, which calls in earlier messages refer to, but allows no new
   * call.
   */
  readonly toolChoice?: 'auto' | 'none'
  readonly signal: AbortSignal
}

export interface ModelUsage {
  readonly promptTokens: number
  readonly completionTokens: number
}

export interface ModelFinish {
  /** OpenAI's words: `stop`, `length`, `content_filter`, `tool_calls`. */
  readonly finishReason: string
  /** Tools the model asks to be called before it goes on; absent when there are none. */
  readonly toolCalls?: readonly ToolCall[]
  /** The provider's own count, or null where it gives none: the caller counts then. */
  readonly usage: ModelUsage | null
  /** Indexes into `passages` that the answer rests on; null when the adapter cannot tell. */
  readonly citedPassages: readonly number[] | null
  /**
   * True when the adapter searched the passages and found no answer; absent when it cannot tell.
   */
  readonly foundNothing?: boolean
}

export interface ModelAnswer extends ModelFinish {
  readonly text: string
}

export type ModelEvent =
  | { readonly type: 'text'; readonly text: string }
  | ({ readonly type: 'finish' } & ModelFinish)

export interface ModelAdapter {
  /** The whole answer at once. */
  complete(request: ModelRequest): Promise<ModelAnswer>
  /**
   * The answer as it comes. One batch holds what one network packet held, so that a surface can
   * pass it on in one write; the last event of the last batch is `finish`.
   */
  stream(request: ModelRequest): AsyncIterable<readonly ModelEvent[]>
}

export interface EmbeddingRequest {
  /** The part of the model id after the provider. */
  readonly model: string
  readonly access: ProviderAccess
  /** At most 64, as every provider takes so many in one call; none empty. */
  readonly texts: readonly string[]
  /** Some models embed what is looked for otherwise than what is looked through. */
  readonly purpose: 'document' | 'query'
  readonly signal: AbortSignal
}

export interface Embeddings {
  /** In the order of the texts, all of one length. */
  readonly vectors: readonly Float32Array[]
  /** The provider's own count; null where it gives none. */
  readonly promptTokens: number | null
}

export interface ModelAbilities {
  readonly vision: boolean
  readonly tools: boolean
}

/** Picks the adapter by provider name. */
export interface Models extends ModelAdapter {
  abilities(provider: string, model: string): ModelAbilities
  /**
   * The models that a provider says it has, by its own names.
   *
   * @throws ModelFailure; the signal's reason when it aborts
   */
  list(access: ProviderAccess, signal: AbortSignal): Promise<readonly string[]>
  /**
   * What each text means, as a point in the model's space. One call of the provider; a connection
   * that fails is tried again, a limit is the caller's to obey.
   *
   * @throws ModelFailure; the signal's reason when it aborts
   */
  embed(request: EmbeddingRequest): Promise<Embeddings>
  /** Counts with a tokenizer what the provider left uncounted. */
  countUsage(messages: readonly ModelMessage[], answer: string): Promise<ModelUsage>
  /** Releases connection pools. */
  close(): Promise<void>
}

export type ModelFailureReason =
  /** Could not connect, refused the key, answered 5xx or something that is no answer. */
  | 'unreachable'
  | 'rejected'
  | 'bad_answer'
  /** Connect, first byte or idle time ran out. */
  | 'timeout'
  /** 429. */
  | 'limited'
  /** The request itself was refused by the provider (too long a context, an unknown model…). */
  | 'refused_request'

/** A provider's failure, without its internals: `detail` is for the log, never for the caller. */
export class ModelFailure extends Error {
  override readonly name = 'ModelFailure'
  readonly reason: ModelFailureReason
  readonly retryAfterSeconds: number | null
  /** Of the provider's answer; null where there was none. */
  readonly status: number | null

  constructor(
    reason: ModelFailureReason,
    detail: string,
    options?: { cause?: unknown; retryAfterSeconds?: number | null; status?: number | null },
  ) {
    super(detail, options)
    this.reason = reason
    this.retryAfterSeconds = options?.retryAfterSeconds ?? null
    this.status = options?.status ?? null
  }
}
