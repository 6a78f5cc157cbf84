import { storableText } from '#kernel/json.ts'
import type { Mask } from '#kernel/mask.ts'
import type { ToolCall } from '#platform/models/model.ts'
import type { CallFailure } from './call-failure.ts'
import { excerptOf, type CallOutcome } from './call-outcome.ts'
import type { CallEnd, NewCallRow } from './call-store.ts'
import type { OfferedTool } from './offered-tool.ts'
import type { Arguments } from './parse-arguments.ts'
import type { ToolTurn } from './tool-turn.ts'

/** A call that the model asked for, and the next step for it. */
export interface MadeCall {
  readonly id: string
  readonly call: ToolCall
  /** Null for an unknown name. */
  readonly offered: OfferedTool | null
  readonly args: Arguments
  readonly step:
    | { readonly kind: 'run'; readonly offered: OfferedTool }
    | { readonly kind: 'ask' }
    | { readonly kind: 'refused'; readonly failure: CallFailure }
}

/** The time in which the outcome of a call is recorded after its timeout, in milliseconds. */
const graceMs = 30_000

/** The time by which a call that starts now has ended, unless its process died. */
export function deadlineOf({ timeoutMs }: OfferedTool, now: number): number {
  return now + timeoutMs + graceMs
}

const statuses = { run: 'running', ask: 'awaiting_confirmation', refused: 'failed' } as const

/** Of the name that a model wrote. UTF-16 code units. */
export const maxNameLength = 200

/** A call that is not made keeps this much of its arguments. UTF-16 code units. */
const maxRefusedArguments = 2_000

/** What the provider needs back with a call that waits for its confirmation. UTF-16 code units. */
const maxProviderData = 16_384

/** True when the call cannot wait for a confirmation, because its provider sent too much with it. */
export function isTooLongToKeep({ providerData }: ToolCall): boolean {
  return (JSON.stringify(providerData) ?? '').length > maxProviderData
}

/** The row of a call, written before it is made. */
export async function rowOfCall(
  turn: ToolTurn,
  { id, call, offered, args, step }: MadeCall,
  mask: Mask,
  now: number,
): Promise<NewCallRow> {
  const failure = step.kind === 'refused' ? step.failure : null
  return {
    id,
    workspace_id: turn.workspaceId,
    agent_id: turn.agentId,
    session_id: turn.sessionId ?? '',
    message_id: turn.messageId,
    kind: offered?.kind ?? 'action',
    source_id: offered?.sourceId ?? null,
    source_updated_at: offered?.sourceUpdatedAt ?? null,
    name: storableText(call.name.slice(0, maxNameLength)),
    title: offered?.title ?? '',
    arguments_json: await argumentsOf(args, step, mask),
    // Only a call that waits is repeated to its provider in a later turn.
    provider_json:
      step.kind === 'ask' && call.providerData !== undefined
        ? JSON.stringify(call.providerData)
        : null,
    status: statuses[step.kind],
    deadline_at: step.kind === 'run' && offered !== null ? deadlineOf(offered, now) : null,
    http_status: null,
    error_code: failure?.code ?? null,
    error: failure === null ? null : storableText(mask.text(failure.message)),
    duration_ms: null,
    response_excerpt: null,
    created_at: now,
    finished_at: failure === null ? null : now,
  }
}

async function argumentsOf(args: Arguments, { kind }: MadeCall['step'], mask: Mask) {
  const written = JSON.stringify(await mask.valueInSlices(args))
  return kind === 'refused' && written.length > maxRefusedArguments ? '{}' : written
}

/** The row of a call that has ended. A call that was cut off is in doubt. */
export function endOfCall(outcome: CallOutcome, durationMs: number, now: number): CallEnd {
  const { ok, httpStatus, errorCode, error } = outcome
  const isCut = errorCode === 'aborted' || errorCode === 'budget_used'
  return {
    status: ok ? 'done' : isCut ? 'in_doubt' : 'failed',
    http_status: httpStatus,
    error_code: errorCode,
    error: error === null ? null : storableText(error),
    duration_ms: durationMs,
    response_excerpt: excerptOf(outcome),
    finished_at: now,
  }
}
