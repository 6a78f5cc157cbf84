import type {
  Citation,
  MessagePart,
  MessageRole,
  TranscriptMessage,
} from '#features/turns/index.ts'
import type { ToolCall } from '#platform/models/model.ts'
import type { ItemRow } from './item-store.ts'

/** Which part of which stored message an item is. */
export interface ItemName {
  readonly messageId: string
  /** The number of a call; null for the text of the message, or a result. */
  readonly call: number | null
}

interface Stored {
  readonly messageId: string
  readonly seq: number
}

/** A stored message, or a part of it, as the items of a response or a conversation show it. */
export type StoredItem = StoredText | StoredCall | StoredOutput

export interface StoredText extends Stored {
  readonly type: 'message'
  readonly role: MessageRole
  readonly text: string
  /** Present when it holds more than text. */
  readonly parts: readonly MessagePart[] | null
  /** Where in the text the model began to refuse; null if it did not. */
  readonly refusedFrom: number | null
  readonly citations: readonly Citation[]
  readonly isComplete: boolean
  /** Whether calls of the caller's tools follow it. */
  readonly hasCalls: boolean
}

export interface StoredCall extends Stored {
  readonly type: 'function_call'
  /** Among the calls of its message. */
  readonly n: number
  readonly call: ToolCall
}

export interface StoredOutput extends Stored {
  readonly type: 'function_call_output'
  readonly callId: string
  readonly text: string
}

type Calls = Pick<TranscriptMessage, 'toolCalls' | 'toolCallId' | 'refusedFrom'>

/** The calls of a message, as turns store them. */
export function readStoredCalls(json: string | null): Calls {
  // Only turns write the column, from values of this type.
  return json === null ? {} : (JSON.parse(json) as Calls)
}

/** A message is an item; each call of the caller's tools is one of its own. */
export function itemsOf(row: ItemRow): StoredItem[] {
  const { id: messageId, seq, content: text } = row
  const { toolCalls = [], toolCallId = '' } = readStoredCalls(row.calls_json)
  const of = { messageId, seq }
  if (row.role === 'tool')
    return [{ ...of, type: 'function_call_output', callId: toolCallId, text }]
  const calls = toolCalls.map((call, n) => ({ ...of, type: 'function_call' as const, n, call }))
  const hasCalls = calls.length > 0
  return hasCalls && text === '' ? calls : [{ ...textOf(row), hasCalls }, ...calls]
}

function textOf(row: ItemRow): Omit<StoredText, 'hasCalls'> {
  return {
    type: 'message',
    messageId: row.id,
    seq: row.seq,
    // Only turns write these columns, from values of these types.
    role: row.role as MessageRole,
    text: row.content,
    refusedFrom: readStoredCalls(row.calls_json).refusedFrom ?? null,
    parts: row.parts_json === null ? null : (JSON.parse(row.parts_json) as MessagePart[]),
    citations: row.citations_json === null ? [] : (JSON.parse(row.citations_json) as Citation[]),
    isComplete: row.error_code === null,
  }
}

export function isNamed(item: StoredItem, { messageId, call }: ItemName): boolean {
  return item.messageId === messageId && (item.type === 'function_call' ? item.n : null) === call
}
