import { readTranscript, turnFaults, type Turn } from '#features/turns/index.ts'
import { isFault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Continuation } from './find-continuation.ts'
import type { FoundResponse } from './response-store.ts'
import type { RunInput } from './run-input.ts'
import { hasLaterMessages } from './run-store.ts'

/** @param firstSeq the number of the first message of the request in the session of the turn */
type Start = (from: Continuation, firstSeq: number) => Promise<Turn>

/**
 * Begins a further attempt, whose request is stored already. If another turn came in since, the session no
 * longer ends with the request: the attempt branches from there, so that it answers its own question.
 */
export async function beginAgain(
  ctx: Pick<Context, 'db' | 'config'>,
  row: FoundResponse,
  { lastSeq: last }: Pick<RunInput, 'lastSeq'>,
  start: Start,
): Promise<Turn> {
  const { session_id: sessionId, end_user: endUser, first_seq: first } = row
  const own = { sessionId, history: [], endUser }
  // The first attempt was made by the version before.
  if (last === undefined) return await start(own, first)
  try {
    if (!(await hasLaterMessages(ctx.db.read, sessionId, last)))
      return await start({ ...own, after: row.message_count }, first)
  } catch (error) {
    if (!isFault(error, turnFaults.session_moved_on)) throw error
  }
  const { messages: history, seqs } = await readTranscript(ctx, sessionId, last)
  const older = seqs.filter((seq) => seq < first).length
  const branch = { sessionId, last, seqs }
  return await start({ sessionId: null, history, branch, endUser }, older + 1)
}
