import type { Context } from '#platform/context.ts'
import type {
  AnswerListener,
  CallListener,
  ModelUsage,
  Passage,
  TextListener,
  ToolCall,
} from '#platform/models/model.ts'
import type { AgentModel } from './agent-model.ts'
import type { MeteredModel } from './metered-model.ts'
import type { KeptLease, OpenSession } from './open-session.ts'
import type { SessionRequest } from './session-request.ts'
import type { Citation } from './prompt.ts'

export interface TurnResult {
  /** The whole answer, with the refusal that may end it. */
  readonly text: string
  /** Where in the text the model began to refuse; null if it does not. See `splitRefusal`. */
  readonly refusedFrom: number | null
  readonly finishReason: string
  readonly usage: ModelUsage
  readonly citations: readonly Citation[]
  /**
   * The calls of the caller's tools that the model waits for, with the finish reason `tool_calls`. The
   * turn continues when the caller sends their results as `tool` messages.
   */
  readonly toolCalls: readonly ToolCall[]
}

/** What an answer consists of besides its text. */
export interface AlsoHeard {
  readonly reasoning?: TextListener | undefined
  /**
   * Receives the calls of the caller's tools as the model writes them; see `ModelRequest.hearCalls`. Those
   * that it does not receive are in `TurnResult.toolCalls`, whose places the pieces have.
   */
  readonly calls?: CallListener | undefined
}

export interface Turn {
  readonly sessionId: string
  /** The id of the answer, known before its first word. */
  readonly messageId: string
  /** The number of its first message in the session. */
  readonly firstSeq: number
  /**
   * Resolves when the session is stored, which `showsSessionLate` waits for. Absent if it was stored
   * before the model was asked, or will be with the answer.
   */
  readonly stored?: Promise<void> | undefined
  /**
   * Asks the model. Must be called once. Resolves when the answer is stored; rejects with a Fault when
   * the answer is incomplete.
   *
   * @param listener receives the text as it arrives; for a turn that does not stream, at its end
   * @param also receives what is not text
   */
  answer(listener?: AnswerListener, also?: AlsoHeard): Promise<TurnResult>
  /**
   * The id of the model that answers, known with the first word; null for an agent without
   * `fallback_models`, whose model it is.
   */
  answeredBy(): string | null
}

export type TurnContext = Pick<
  Context,
  | 'db'
  | 'clock'
  | 'config'
  | 'jobs'
  | 'limits'
  | 'log'
  | 'models'
  | 'modelSlots'
  | 'vault'
  | 'outbound'
  | 'workers'
  | 'importSlots'
  | 'remoteTools'
>

/** A turn while it runs. */
export interface RunningTurn {
  readonly ctx: TurnContext
  readonly input: SessionRequest
  readonly signal: AbortSignal
  readonly provider: AgentModel
  readonly model: MeteredModel
  readonly session: OpenSession
  readonly messageId: string
  /** Whether the answer is shown only when it is complete. */
  readonly isHeld: boolean
  readonly hearReasoning?: TextListener | undefined
  readonly hearCalls?: CallListener | undefined
  /** The beginning of the model's reasoning; empty unless the agent stores it. */
  reasoning: string
  /** Set once knowledge has been searched. */
  passages: readonly Passage[]
  /** Set once it runs; null if nothing is stored. */
  lease?: KeptLease | null
}

/** How a turn ends. */
export interface Closing {
  readonly text: string
  readonly usage: ModelUsage
  readonly citations: readonly Citation[]
  /** True when the knowledge was searched and had no answer. */
  readonly unanswered: boolean
  readonly finishReason: string | null
  /** The calls of the caller's tools, as they are stored. */
  readonly calls: string | null
  /** Set when the answer is incomplete. */
  readonly errorCode: string | null
}
