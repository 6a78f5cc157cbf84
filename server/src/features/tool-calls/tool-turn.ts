import type { TurnCredits } from '#features/credits/index.ts'
import type { Context } from '#platform/context.ts'

/** The turn in which calls are made. */
export interface ToolTurn {
  readonly workspaceId: string
  readonly agentId: string
  readonly agentName: string
  /** Null for a turn that is not stored: its calls are not recorded, and none can be confirmed. */
  readonly sessionId: string | null
  /** The conversation's id, whether it is stored or not. */
  readonly conversationId: string
  /** The id of the answer that the calls belong to. */
  readonly messageId: string
  readonly endUser: string | null
  /** Verified claims about the end user. */
  readonly user?: Readonly<Record<string, string | number | boolean>> | undefined
  readonly lastUserMessage: string
  /** True when the last message of the conversation is the user's. */
  readonly endsWithUser: boolean
  /** Its calls are paid from these. */
  readonly credits: TurnCredits
}

export type ToolboxContext = Pick<Context, 'config' | 'db' | 'clock' | 'log'>
