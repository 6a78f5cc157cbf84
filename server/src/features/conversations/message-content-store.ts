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
