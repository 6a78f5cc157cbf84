import { sql } from 'kysely'
import type { Context } from '#platform/context.ts'
import { transcriptOf, type TranscriptMessage } from './prompt.ts'

/**
 * The messages of a session up to one of them, as a new session can begin with them: the newest ones,
 * within the limits of a history. The caller must have checked whose session it is.
 */
export async function readTranscript(
  { db, config }: Pick<Context, 'db' | 'config'>,
  sessionId: string,
  last: number,
): Promise<readonly TranscriptMessage[]> {
  const messages = db.read
    .selectFrom('chat_messages')
    .where('session_id', '=', sessionId)
    .where('seq', '<=', last)
  const sizes = await messages
    .select(['seq', octets('content').as('text'), octets('parts_json').as('parts')])
    .select(octets('calls_json').as('calls'))
    .orderBy('seq', 'desc')
    .limit(config.maxHistoryMessages)
    .execute()
  let bytes = 0
  const fitting = sizes.filter(
    (row) => (bytes += row.text + row.parts + row.calls) <= config.maxHistoryBytes,
  )
  const first = fitting.at(-1)?.seq
  if (first === undefined) return []
  const rows = await messages
    .select(['role', 'content', 'parts_json', 'calls_json', 'error_code'])
    .where('seq', '>=', first)
    .orderBy('seq')
    .execute()
  return transcriptOf(rows).spoken
}

function octets(column: 'content' | 'parts_json' | 'calls_json') {
  return sql<number>`coalesce(octet_length(${sql.ref(column)}), 0)`
}
