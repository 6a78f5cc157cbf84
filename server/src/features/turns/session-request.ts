import type { CallerAgent } from './authenticate-caller.ts'
import type { TranscriptMessage } from './prompt.ts'
import type { ModelTool, ResponseFormat, Sampling, ToolChoice } from '#platform/models/model.ts'

/** What a request asks for besides its messages. What is absent is as the agent's settings say. */
export interface RequestOptions {
  /** The caller's tools: the caller makes their calls and sends the results. */
  readonly tools?: readonly ModelTool[]
  /** Of the caller's tools. */
  readonly toolChoice?: ToolChoice
  readonly parallelToolCalls?: boolean
  readonly responseFormat?: ResponseFormat
  readonly sampling?: Sampling
  readonly temperature?: number
  /** The agent's `max_output_tokens` counts where it is lower. */
  readonly maxOutputTokens?: number
}

export interface SessionRequest {
  readonly agent: CallerAgent
  readonly source: string
  /** Null starts a new session. */
  readonly sessionId: string | null
  /** The number of messages that the session must have; any by default. */
  readonly after?: number
  readonly messages: readonly TranscriptMessage[]
  /** A system message of this turn alone, which is not stored. */
  readonly instructions?: string | null
  /** Whether the answer is streamed. */
  readonly stream: boolean
  readonly store: boolean
  readonly endUser: string | null
  /** The chat key of the request, if there is one. */
  readonly keyId?: string
  readonly correlationId: string | null
  /** Absent when the request asks for nothing special. */
  readonly options?: RequestOptions
}
