import type { Reader } from '#platform/db/database.ts'
import { readLongCalls } from './message-content-store.ts'

/** A call of a tool that the caller's program runs. */
export interface CallerCall {
  readonly id: string
  readonly name: string
  /** As the model wrote them. */
  readonly arguments: string
}

/** The calls of an answer, or the call whose result a `tool` message is. */
export interface CallsOfMessage {
  readonly callerCalls: readonly CallerCall[]
  readonly toolCallId: string | null
  /** Whether the model refused to answer, maybe after a text. */
  readonly isRefusal: boolean
}

export const noCalls: CallsOfMessage = { callerCalls: [], toolCallId: null, isRefusal: false }

export interface RowWithCalls {
  readonly session_id: string
  readonly seq: number
  readonly has_calls: number
  /** Null when there are none, or when they are long. */
  readonly calls_json: string | null
}

export async function callsOfRow(reader: Reader, row: RowWithCalls): Promise<CallsOfMessage> {
  if (row.has_calls === 0) return noCalls
  const text = row.calls_json ?? (await readLongCalls(reader, row)) ?? '{}'
  // Only a turn writes it: see callsOf in features/turns.
  const {
    toolCalls = [],
    toolCallId = null,
    refusedFrom,
  } = JSON.parse(text) as {
    toolCalls?: readonly CallerCall[]
    toolCallId?: string
    refusedFrom?: number
  }
  const callerCalls = toolCalls.map(({ id, name, arguments: written }) => ({
    id,
    name,
    arguments: written,
  }))
  return { callerCalls, toolCallId, isRefusal: refusedFrom !== undefined }
}
