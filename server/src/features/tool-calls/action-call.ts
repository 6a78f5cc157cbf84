import { camelKeys } from '#kernel/key-case.ts'
import type { Context } from '#platform/context.ts'
import type { Reader } from '#platform/db/database.ts'
import { listCallsOfMessages, type CallRow } from './call-store.ts'

export const callStatuses = [
  'running',
  'done',
  'failed',
  /** Not made: the next message of the conversation decides. */
  'awaiting_confirmation',
  /** Not made: the next message did not confirm it. */
  'declined',
  /** Possibly made: its process ended before the outcome was known. It is not retried. */
  'in_doubt',
] as const
type CallStatus = (typeof callStatuses)[number]

/** One call of an action or of a remote tool, as the transcript shows it. Secrets are masked. */
export interface ActionCall {
  readonly id: string
  readonly messageId: string
  readonly kind: string
  readonly name: string
  readonly title: string
  readonly arguments: Readonly<Record<string, unknown>>
  readonly status: CallStatus
  readonly httpStatus: number | null
  readonly errorCode: string | null
  readonly error: string | null
  readonly durationMs: number | null
  /** The beginning of the response. */
  readonly response: string | null
  readonly createdAt: number
}

/** The calls of some answers of a session, in the order in which they were made. */
export async function listActionCalls(
  { clock }: Pick<Context, 'clock'>,
  reader: Reader,
  sessionId: string,
  messageIds: readonly string[],
): Promise<readonly ActionCall[]> {
  if (messageIds.length === 0) return []
  const rows = await listCallsOfMessages(reader, { sessionIds: [sessionId], messageIds })
  return rows.map((row) => ({
    ...storedCall(row, clock.now()),
    // Only this feature writes it, from an object.
    arguments: JSON.parse(row.arguments_json) as Record<string, unknown>,
  }))
}

/** A call whose arguments have not been parsed. */
export type StoredCall = Omit<ActionCall, 'arguments'> & { readonly argumentsJson: string }

export function storedCall({ provider_json: _provider, ...row }: CallRow, now: number): StoredCall {
  return { ...camelKeys(row), status: statusOf(row, now), response: row.response_excerpt }
}

/** A process ends its calls before their deadline; a call that still runs then lost its process. */
function statusOf(
  { status, deadline_at }: Pick<CallRow, 'status' | 'deadline_at'>,
  now: number,
): CallStatus {
  if (status === 'running' && deadline_at !== null && deadline_at <= now) return 'in_doubt'
  const known = callStatuses.find((one) => one === status)
  if (known !== undefined) return known
  throw new Error(`Unknown status of a call in the database: ${status}`)
}
