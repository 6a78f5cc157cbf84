import type { ModelTool } from '#platform/models/model.ts'
import type { CallOutcome } from './call-outcome.ts'
import type { Arguments } from './parse-arguments.ts'

/** Something that a model may call in a turn. */
export interface OfferedTool {
  readonly tool: ModelTool
  readonly kind: 'action' | 'mcp'
  /** Of the action or the server. */
  readonly sourceId: string
  /** Changes with it: a confirmation holds for what was asked. */
  readonly sourceUpdatedAt: number
  readonly title: string
  readonly requiresConfirmation: boolean
  readonly timeoutMs: number
  /** Why these arguments can never be run; null when they can. */
  problemOf(args: Arguments): string | null
  /** @throws the signal's reason when it aborts, and what is a fault of ours */
  run(args: Arguments, signal: AbortSignal): Promise<CallOutcome>
}
