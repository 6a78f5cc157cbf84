import { deletedMessage, type TranscriptMessage } from '#features/turns/index.ts'
import type { Context } from '#platform/context.ts'
import type { Continued } from './find-continuation.ts'
import { listItemsById, listItemSizes, type ItemRow } from './item-store.ts'
import { findResponseOfAnswer, findResponseRow, findSession, type Place } from './response-store.ts'
import { isNamed, itemsOf, readStoredCalls, type ItemName, type StoredItem } from './stored-item.ts'

/** The text or a call of a response's answer, by its id; null if no response of the agent has it. */
export async function findItem(
  { db }: Pick<Context, 'db'>,
  place: Place,
  { messageId, call }: ItemName,
): Promise<TranscriptMessage | null> {
  const found = await findResponseOfAnswer(db.read, place, messageId)
  if (found === undefined || found.content === null) return null
  const { content, answer_error: error, finish_reason: reason } = found
  // It was deleted, or failed before its first word.
  if (content === '' && (error !== null || reason === deletedMessage)) return null
  const { toolCalls = [], refusedFrom } = readStoredCalls(found.calls_json)
  if (call === null) return spoken('assistant', content, refusedFrom)
  const made = toolCalls[call]
  return made === undefined ? null : { role: 'assistant', content: '', toolCalls: [made] }
}

/** The items of the session that a request continues, by their ids. */
export interface SessionItems {
  /** In bytes, of the whole message that an item is part of; null if the session does not have it. */
  sizeOf(item: ItemName): number | null
  /** Reads the messages of all items that were asked for. */
  read(): Promise<(item: ItemName) => TranscriptMessage | null>
}

/**
 * Whatever is stored in the session that a request continues, of all that it names: each message is looked
 * for once, because a session can be long.
 */
export async function findSessionItems(
  { db }: Pick<Context, 'db'>,
  place: Place,
  continued: Continued,
  names: readonly ItemName[],
): Promise<SessionItems> {
  const sessionId = names.length === 0 ? null : await sessionOf({ db }, place, continued)
  const range = { sessionId: sessionId ?? '', first: 0 }
  const ids = [...new Set(names.map(({ messageId }) => messageId))]
  const listed = sessionId === null ? [] : await listItemSizes(db.read, range, ids)
  const sizes = new Map(listed.map(({ id, size }) => [id, Number(size)]))
  return {
    sizeOf: ({ messageId }) => sizes.get(messageId) ?? null,
    async read() {
      const rows = sizes.size === 0 ? [] : await listItemsById(db.read, range, [...sizes.keys()])
      const byId = new Map(rows.map((row) => [row.id, row]))
      return (item) => itemOf(byId.get(item.messageId), item)
    },
  }
}

async function sessionOf(
  { db }: Pick<Context, 'db'>,
  place: Place,
  { previousResponseId, conversationId }: Continued,
): Promise<string | null> {
  if (conversationId !== null)
    return (await findSession(db.read, place, conversationId))?.id ?? null
  if (previousResponseId === null) return null
  return (await findResponseRow(db.read, place, previousResponseId))?.session_id ?? null
}

function itemOf(row: ItemRow | undefined, name: ItemName): TranscriptMessage | null {
  const item = row && itemsOf(row).find((one) => isNamed(one, name))
  return item === undefined ? null : messageOf(item)
}

function messageOf(item: StoredItem): TranscriptMessage {
  switch (item.type) {
    case 'function_call':
      return { role: 'assistant', content: '', toolCalls: [item.call] }
    case 'function_call_output':
      return { role: 'tool', content: item.text, toolCallId: item.callId }
    case 'message': {
      const { role, text, parts, refusedFrom } = item
      const message = spoken(role, text, refusedFrom ?? undefined)
      return parts === null ? message : { ...message, parts }
    }
  }
}

function spoken(
  role: TranscriptMessage['role'],
  content: string,
  refusedFrom: number | undefined,
): TranscriptMessage {
  return refusedFrom === undefined ? { role, content } : { role, content, refusedFrom }
}
