import type { ModelTool } from '#platform/models/model.ts'
import type { CallOutcome } from './call-outcome.ts'
import type { Arguments } from './parse-arguments.ts'

/** A tool that a model may call in a turn. */
export interface OfferedTool {
  readonly tool: ModelTool
  readonly kind: 'action' | 'mcp'
  /** The id of the action or the server. */
  readonly sourceId: string
  /** A confirmation is valid only while this is unchanged. */
  readonly sourceUpdatedAt: number
  readonly title: string
  readonly requiresConfirmation: boolean
  readonly timeoutMs: number
  /** Why these arguments can never be run; null when they can. */
  problemOf(args: Arguments): string | null
  /** @throws the signal's reason when it aborts, and unexpected errors */
  run(args: Arguments, signal: AbortSignal): Promise<CallOutcome>
}
