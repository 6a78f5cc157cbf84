import type { Context } from '#platform/context.ts'
import type { CallerAgent } from './authenticate-caller.ts'
import type { OpenSession } from './open-session.ts'
import { memoryModelOf, summarizeSession } from './summarize-session.ts'
import { summaryOfSession } from './summary-store.ts'

/**
 * The session with the summary in place of the messages that it covers. The messages after it stay the
 * same until the next summary, so that the provider's cache of the prompt stays useful.
 */
export async function withSummary(
  { db }: Pick<Context, 'db'>,
  session: OpenSession,
): Promise<OpenSession> {
  if (session.transcript.every(({ seq }) => seq === undefined)) return session
  const [found] = await db.prepared(summaryOfSession).read({ session_id: session.id })
  if (found === undefined) return session
  const { covers_seq: last, content: summary } = found
  const transcript = session.transcript.filter(({ seq }) => seq === undefined || seq > last)
  return { ...session, transcript, summary: { text: summary, last } }
}

/**
 * Has the older part of a session summed up if the next turn would leave out messages. A failure is only
 * logged: the answer does not depend on it.
 */
export async function rememberOlder(
  ctx: Pick<Context, 'db' | 'config' | 'jobs' | 'log'>,
  { workspaceId, settings }: CallerAgent,
  { id: sessionId, transcript, summary }: OpenSession,
): Promise<void> {
  if (memoryModelOf(settings) === null) return
  const first = transcript.find(({ seq }) => seq !== undefined)?.seq ?? 1
  const wasCut = first > (summary?.last ?? 0) + 1
  // With the answer, the session has one message more.
  if (!wasCut && transcript.length + 1 <= ctx.config.maxHistoryMessages) return
  const options = { key: sessionId, workspaceId }
  await ctx.db
    .write((tx) => ctx.jobs.enqueue(tx, summarizeSession, { sessionId }, options))
    .catch((error: unknown) =>
      ctx.log.warn({ err: error, sessionId }, 'a summary of a session could not be queued'),
    )
}
