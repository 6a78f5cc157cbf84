import type { ModelName } from '#kernel/model-id.ts'
import type { EmbeddingRequest, Embeddings } from './embedding.ts'
import type { ProviderAccess } from './provider-access.ts'
import type { CallListener, CallPiece, ModelTool, ToolCall, ToolChoice } from './tool-call.ts'
import type { RelatedWords, WordWeights } from './question-words.ts'

/**
 * The model port: one shape of request for every provider. Adapters report every expected failure as
 * a `ModelFailure`.
 */

/** The `url` of an image is `https:` or a `data:` URL, as the client sent it. */
export type ContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly url: string }
  | AudioPart

/** `data` is base64. */
export interface AudioPart {
  readonly type: 'audio'
  readonly format: 'wav' | 'mp3'
  readonly data: string
}

/** A message of a person, an assistant or the system. An assistant may call tools with it. */
export interface SpokenMessage {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string | readonly ContentPart[]
  /** Of an assistant only; a `ToolMessage` for each follows directly. */
  readonly toolCalls?: readonly ToolCall[]
  /** Of an assistant with calls: what it thought before, for a provider that wants it back with the results. */
  readonly thoughts?: readonly Thought[]
  /** Of an assistant that refused: where in its content, which is a text then, the refusal begins. */
  readonly refusedFrom?: number
}

/** A part of a model's reasoning as its provider wants it back. */
export interface Thought {
  readonly text: string
  readonly provider: string
  /** Opaque, such as a signature. */
  readonly providerData: unknown
}

/** A tool's result for the call of that id. */
export interface ToolMessage {
  readonly role: 'tool'
  readonly content: string
  readonly toolCallId: string
  readonly toolName: string
}

export type ModelMessage = SpokenMessage | ToolMessage

/** The form that an answer must have; without one it is text. */
export type ResponseFormat =
  | { readonly type: 'json_object' }
  | {
      readonly type: 'json_schema'
      readonly name: string
      readonly description?: string
      readonly schema: Readonly<Record<string, unknown>>
      /** Whether the provider must hold the model to the schema. */
      readonly strict: boolean
    }

/** How a model writes, besides temperature and length. What is absent is the model's own. */
export interface Sampling {
  readonly topP?: number
  readonly stop?: readonly string[]
  readonly seed?: number
  readonly presencePenalty?: number
  readonly frequencyPenalty?: number
  /** From a token's id to what is added to its weight, from -100 to 100. */
  readonly logitBias?: Readonly<Record<string, number>>
  readonly reasoningEffort?: string
  readonly verbosity?: string
}

/** The fields of a request that a caller sets and not every model honours. */
export type RequestField =
  | keyof Sampling
  | 'temperature'
  | 'maxOutputTokens'
  | 'tools'
  | 'toolChoice'
  | 'parallelToolCalls'
  | 'responseFormat'

/** A piece of the agent's knowledge that retrieval found for this turn; the best comes first. */
export interface Passage {
  readonly sourceId: string
  readonly title: string
  readonly url: string | null
  readonly page: number | null
  readonly heading: string
  readonly text: string
  readonly score: number
}

export type { CallListener, CallPiece, ModelTool, ProviderAccess, ToolCall, ToolChoice }

export interface ModelRequest {
  /** The part of the model id after the provider: `gpt-5.2` of `openai/gpt-5.2`. */
  readonly model: ModelName
  readonly access: ProviderAccess
  /** System messages first, then the conversation, oldest first. Never empty. */
  readonly messages: readonly ModelMessage[]
  /** Already written into a message for adapters that call a model; `extractive` answers from it. */
  readonly passages: readonly Passage[]
  /** How much each word of the question says among the agent's texts; only `extractive` asks. */
  readonly weighWords?: () => WordWeights
  /** Only for `extractive`. */
  readonly relatedWords?: RelatedWords
  readonly temperature: number | null
  readonly maxOutputTokens: number | null
  readonly sampling?: Sampling
  readonly tools?: readonly ModelTool[]
  readonly toolChoice?: ToolChoice
  /** Whether one answer may hold several calls; absent for the model's own way. */
  readonly parallelToolCalls?: boolean
  readonly responseFormat?: ResponseFormat
  /** What the caller of the turn set. An adapter must not leave these out in silence. */
  readonly fields?: readonly RequestField[]
  /**
   * The length of the beginning of the first message that is the same in every turn of the agent,
   * in UTF-16 code units, for providers that cache only a marked part. Absent if there is none.
   */
  readonly stableLength?: number
  /** How many of the first messages the prompt of the next turn begins with, too. */
  readonly stableCount?: number
  /** Receives the model's reasoning as it arrives; without it, the reasoning is dropped. */
  readonly hearReasoning?: TextListener
  /** Receives the calls as the model writes them, where the provider streams them. */
  readonly hearCalls?: CallListener | undefined
  readonly signal: AbortSignal
}

export interface ModelUsage {
  readonly promptTokens: number
  /** How many of them the provider had in its cache; absent for none. */
  readonly cachedTokens?: number
  readonly completionTokens: number
  /** How many of them are reasoning; absent for none, or if the provider does not say. */
  readonly reasoningTokens?: number
}

export interface ModelFinish {
  /** OpenAI's words: `stop`, `length`, `content_filter`, `tool_calls`. */
  readonly finishReason: string
  /** Calls that the model waits for before it continues; absent when there are none. */
  readonly toolCalls?: readonly ToolCall[]
  /** What the provider wants back with the results of these calls; absent if that is nothing. */
  readonly thoughts?: readonly Thought[]
  /** The provider's own count; null if it reports none, and the caller counts then. */
  readonly usage: ModelUsage | null
  /** Indexes of the `passages` that the answer uses; null when the adapter does not know. */
  readonly citedPassages: readonly number[] | null
  /**
   * True when the adapter searched the passages and found no answer; absent when it does not know.
   */
  readonly foundNothing?: boolean
}

export interface ModelAnswer extends ModelFinish {
  /** Without the refusal. */
  readonly text: string
  /** How the model refuses to answer, if it does. */
  readonly refusal?: string
  /** The model's reasoning, if the provider sends it. */
  readonly reasoning?: string
}

/**
 * Receives the pieces of text of one network packet, so that a surface can pass them on in one
 * write. A promise makes the stream wait; an error ends it.
 */
export type TextListener = (texts: readonly string[]) => void | Promise<void>

/** @param isRefusal whether the texts are those of a refusal, which ends the answer */
export type AnswerListener = (texts: readonly string[], isRefusal?: boolean) => void | Promise<void>

export interface ModelAdapter {
  /** The whole answer at once. */
  complete(request: ModelRequest): Promise<ModelAnswer>
  /**
   * Passes on the text as it arrives, and resolves after the last of it. A listener instead of an
   * iterator: each step of an iterator, in every layer between the connection and the caller, costs
   * several microtasks a packet.
   */
  stream(request: ModelRequest, listener: AnswerListener): Promise<ModelFinish>
}

export interface ModelAbilities {
  readonly vision: boolean
  readonly audio: boolean
  readonly tools: boolean
  /** Whether the provider fetches images from their addresses. */
  readonly fetchesImages: boolean
  /** False when nothing is known about a model of this name: it may have abilities all the same. */
  readonly isKnown: boolean
}

/** The models of all providers. */
export interface Models extends ModelAdapter {
  abilities(provider: string, model: string): ModelAbilities
  /** Whether a provider holds its models to the form of an answer. */
  enforces(access: ProviderAccess, format: ResponseFormat): boolean
  /** The first of the fields that no model of a provider honours; null when there is none. */
  refusedField(provider: string, fields: readonly RequestField[]): RequestField | null
  /**
   * The models that a provider lists, by its own names. Names that its grammar does not allow are
   * left out.
   *
   * @throws ModelFailure; the signal's reason when it aborts
   */
  list(access: ProviderAccess, signal: AbortSignal): Promise<readonly ModelName[]>
  /**
   * The embedding of each text, in one call of the provider. A failed connection is retried; rate
   * limits are left to the caller.
   *
   * @throws ModelFailure; the signal's reason when it aborts
   */
  embed(request: EmbeddingRequest): Promise<Embeddings>
  /** Counts tokens when the provider reports no usage. */
  countUsage(messages: readonly ModelMessage[], answer: string): Promise<ModelUsage>
  /** Releases connection pools. */
  close(): Promise<void>
}

export type ModelFailureReason =
  /** No connection, or 5xx. */
  | 'unreachable'
  /** The provider refused the key. */
  | 'rejected'
  /** The answer could not be read, or broke off. */
  | 'bad_answer'
  /** The time to connect, to the first byte or between bytes ran out. */
  | 'timeout'
  /** 429. */
  | 'limited'
  /** The provider refused the request itself: too long a context, an unknown model … */
  | 'refused_request'

/** A provider's failure, without its internals: `detail` is for the log, never for the caller. */
export class ModelFailure extends Error {
  override readonly name = 'ModelFailure'
  readonly reason: ModelFailureReason
  readonly retryAfterSeconds: number | null
  /** The HTTP status of the provider's answer; null if there was no answer. */
  readonly status: number | null
  /** The field of the request that the model does not accept, if the provider names one. */
  readonly field: RequestField | null

  constructor(
    reason: ModelFailureReason,
    detail: string,
    options?: {
      cause?: unknown
      retryAfterSeconds?: number | null
      status?: number | null
      field?: RequestField | null
    },
  ) {
    super(detail, options)
    this.reason = reason
    this.retryAfterSeconds = options?.retryAfterSeconds ?? null
    this.status = options?.status ?? null
    this.field = options?.field ?? null
  }
}
