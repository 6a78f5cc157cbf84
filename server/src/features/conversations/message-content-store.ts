import { sql } from 'kysely'
import type { Reader } from '#platform/db/database.ts'

/** The longest content that is read with its row, so that no page of rows is long. Bytes. */
const shortContentBytes = 8 * 1024

/** The content of a row of `chat_messages as message`; null when it is long: see readContent. */
export const shortContent = sql<string | null>`
  case when octet_length(message.content) <= ${sql.lit(shortContentBytes)}
  then message.content end
`

interface RowWithContent {
  readonly session_id: string
  readonly seq: number
  readonly content: string | null
}

/** The whole content of a message; empty when it was deleted meanwhile. */
export async function readContent(
  reader: Reader,
  { session_id: sessionId, seq, content }: RowWithContent,
): Promise<string> {
  if (content !== null) return content
  const row = await reader
    .selectFrom('chat_messages')
    .select('content')
    .where('session_id', '=', sessionId)
    .where('seq', '=', seq)
    .executeTakeFirst()
  return row?.content ?? ''
}

/** The same for the calls of a message. */
export const shortCalls = sql<string | null>`
  case when octet_length(message.calls_json) <= ${sql.lit(shortContentBytes)}
  then message.calls_json end
`
export const hasCalls = sql<number>`case when message.calls_json is null then 0 else 1 end`

/** The same for the citations of an answer. */
export const shortCitations = sql<string | null>`
  case when octet_length(message.citations_json) <= ${sql.lit(shortContentBytes)}
  then message.citations_json end
`
export const hasCitations = sql<number>`case when message.citations_json is null then 0 else 1 end`

export const hasParts = sql<number>`case when message.parts_json is null then 0 else 1 end`

/** The parts of a message as JSON, such as its images; null when it was deleted meanwhile. */
export async function readParts(
  reader: Reader,
  { session_id: sessionId, seq }: Pick<RowWithContent, 'session_id' | 'seq'>,
): Promise<string | null> {
  const row = await reader
    .selectFrom('chat_messages')
    .select('parts_json')
    .where('session_id', '=', sessionId)
    .where('seq', '=', seq)
    .executeTakeFirst()
  return row?.parts_json ?? null
}

/** Null when the message was deleted meanwhile. */
export async function readLongCalls(
  reader: Reader,
  { session_id: sessionId, seq }: Pick<RowWithContent, 'session_id' | 'seq'>,
): Promise<string | null> {
  const row = await reader
    .selectFrom('chat_messages')
    .select('calls_json')
    .where('session_id', '=', sessionId)
    .where('seq', '=', seq)
    .executeTakeFirst()
  return row?.calls_json ?? null
}

/** The citations of an answer as JSON; null if it has none, or was deleted meanwhile. */
export async function readCitations(
  reader: Reader,
  { session_id: sessionId, seq, citations_json: short, has_citations: has }: RowWithCitations,
): Promise<string | null> {
  if (short !== null || has === 0) return short
  const row = await reader
    .selectFrom('chat_messages')
    .select('citations_json')
    .where('session_id', '=', sessionId)
    .where('seq', '=', seq)
    .executeTakeFirst()
  return row?.citations_json ?? null
}

interface RowWithCitations extends Pick<RowWithContent, 'session_id' | 'seq'> {
  readonly citations_json: string | null
  readonly has_citations: number
}

/** A message of a user, whole. */
export function findQuestionRow(
  reader: Reader,
  of: { readonly conversationId: string; readonly messageId: string },
) {
  return reader
    .selectFrom('chat_messages')
    .select(['content', 'parts_json'])
    .where('session_id', '=', of.conversationId)
    .where('id', '=', of.messageId)
    .where('role', '=', 'user')
    .executeTakeFirst()
}
