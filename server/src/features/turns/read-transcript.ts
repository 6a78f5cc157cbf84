import { sql } from 'kysely'
import type { Context } from '#platform/context.ts'
import { sizesBesideLargest } from './history-size.ts'
import { transcriptOf, type TranscriptMessage } from './prompt.ts'

/** Part of a session, as a branch begins with it. */
export interface BranchedPart {
  readonly messages: readonly TranscriptMessage[]
  /** Their numbers in the session. */
  readonly seqs: readonly number[]
}

/**
 * The messages of a session up to one of them, as a new session can begin with them: the newest ones,
 * within the limits of a history. The caller must have checked whose session it is.
 */
export async function readTranscript(
  { db, config }: Pick<Context, 'db' | 'config'>,
  sessionId: string,
  last: number,
): Promise<BranchedPart> {
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
  const bytes = sizesBesideLargest(sizes.map(({ text, parts, calls }) => text + parts + calls))
  const fitting = bytes.filter((size) => size <= config.maxHistoryBytes)
  const first = sizes[fitting.length - 1]?.seq
  if (first === undefined) return { messages: [], seqs: [] }
  const rows = await messages
    .select(['seq', 'role', 'content', 'parts_json', 'calls_json', 'error_code'])
    .where('seq', '>=', first)
    .orderBy('seq')
    .execute()
  const { spoken } = transcriptOf(rows)
  const seqs = spoken.flatMap(({ seq }) => (seq === undefined ? [] : [seq]))
  // In another session they have other numbers.
  return { messages: spoken.map((message) => ({ ...message, seq: undefined })), seqs }
}

function octets(column: 'content' | 'parts_json' | 'calls_json') {
  return sql<number>`coalesce(octet_length(${sql.ref(column)}), 0)`
}
