import type { Tx } from '#platform/db/database.ts'
import type { CallerAgent } from './authenticate-caller.ts'
import type { Citation, TranscriptMessage } from './prompt.ts'
import type {
  ModelRequest,
  ModelTool,
  ResponseFormat,
  Sampling,
  ToolChoice,
} from '#platform/models/model.ts'

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

/** Where the messages of a turn are stored. */
export interface BegunTurn {
  readonly sessionId: string
  /** The number of the turn's first message in the session. */
  readonly firstSeq: number
}

/** The session that a new one branches from. */
export interface Branch {
  readonly sessionId: string
  /** The last message of it that the new session has. */
  readonly last: number
  /** The numbers that the first messages of the request have in it. */
  readonly seqs: readonly number[]
}

export interface SessionRequest {
  readonly agent: CallerAgent
  readonly source: string
  /** Null starts a new session. */
  readonly sessionId: string | null
  /** The number of messages that the session must have; any by default. */
  readonly after?: number
  readonly messages: readonly TranscriptMessage[]
  /** Where the beginning of `messages` comes from, so that the new session inherits its summary. */
  readonly branch?: Branch | undefined
  /** A system message of this turn alone, which is not stored. */
  readonly instructions?: string | null
  /** Whether the answer is streamed. */
  readonly stream: boolean
  /**
   * Whether a caller who streams sees nothing of the turn before `Turn.stored` has resolved, so that the
   * model can be asked while a new session is stored.
   */
  readonly showsSessionLate?: boolean
  /**
   * Whether an answer that is cut short is not stored: the job that runs the turn keeps its text, and
   * can run it again.
   */
  readonly isRepeatable?: boolean
  /** The id of the answer; a new one by default. */
  readonly messageId?: string
  /**
   * A step of the unit that stores the messages, for rows that must be stored together with them.
   */
  readonly atBeginning?: (tx: Tx, begun: BegunTurn) => Promise<void>
  readonly store: boolean
  readonly endUser: string | null
  /** Verified claims about the end user, for prompts and actions; absent if there are none. */
  readonly user?: Readonly<Record<string, string | number | boolean>> | undefined
  /** The chat key of the request, if there is one. */
  readonly keyId?: string
  readonly correlationId: string | null
  /** Throws if the text of the files that were read may not be used. Nothing is stored before. */
  readonly reviewFiles?: (text: string) => Promise<void>
  /**
   * Decides on a complete answer before anyone reads it: null shows it, a text replaces it. Such an
   * answer is not streamed.
   */
  readonly review?: (answer: string) => Promise<string | null>
  /**
   * Decides on what a reviewed answer cites, before anyone reads it or it is stored: all of it or nothing,
   * because the answer names its citations by their places.
   */
  readonly reviewCitations?: (citations: readonly Citation[]) => Promise<readonly Citation[]>
  /** Asks for a summary of the session with `ask`, unless there must be none now. */
  readonly countSummary?: (ask: () => Promise<void>) => Promise<void>
  /** Hears each request to a model right before it is sent. */
  readonly hearRequest?: ((request: ModelRequest) => void) | undefined
  /** Absent when the request asks for nothing special. */
  readonly options?: RequestOptions
}

/**
 * The messages that the request brings, without those of the session that it branches from. What the model
 * cannot read of those is left out, as in a session that goes on.
 */
export function ownMessages({ messages, branch }: SessionRequest): readonly TranscriptMessage[] {
  return branch === undefined ? messages : messages.slice(branch.seqs.length)
}
