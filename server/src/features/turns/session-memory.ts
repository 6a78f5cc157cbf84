import type { Context } from '#platform/context.ts'
import type { OpenSession } from './open-session.ts'
import { memoryModelOf, summarizeSession } from './summarize-session.ts'
import type { Branch, SessionRequest } from './session-request.ts'
import { coveredOf, summaryOfSession } from './summary-store.ts'

/**
 * The session with the summary in place of the messages that it covers. The messages after it stay the
 * same until the next summary, so that the provider's cache of the prompt stays useful.
 */
export async function withSummary(
  { db }: Pick<Context, 'db'>,
  session: OpenSession,
  branch: Branch | undefined,
): Promise<OpenSession> {
  // A branch that is not stored has no summary of its own.
  const from = session.leaseToken === null ? branch : undefined
  if (from === undefined && session.transcript.every(({ seq }) => seq === undefined)) return session
  const given = { session_id: from?.sessionId ?? session.id }
  const [found] = await db.prepared(summaryOfSession).read(given)
  if (found === undefined || (from !== undefined && found.covers_seq > from.last)) return session
  const { covers_seq: covers, content: text } = found
  const last = from === undefined ? covers : coveredOf(from.seqs, covers)
  const transcript = session.transcript.filter(({ seq }) => seq === undefined || seq > last)
  return { ...session, transcript, summary: { text, last } }
}

/**
 * Has the older part of a session summed up if the next turn would leave out messages. A failure is only
 * logged: the answer does not depend on it.
 */
export async function rememberOlder(
  ctx: Pick<Context, 'db' | 'config' | 'jobs' | 'log'>,
  { agent, keyId, countSummary }: SessionRequest,
  { id: sessionId, transcript, summary }: OpenSession,
): Promise<void> {
  const { workspaceId, settings } = agent
  if (memoryModelOf(settings) === null) return
  const first = transcript.find(({ seq }) => seq !== undefined)?.seq ?? 1
  const wasCut = first > (summary?.last ?? 0) + 1
  // With the answer, the session has one message more.
  if (!wasCut && transcript.length + 1 <= ctx.config.maxHistoryMessages) return
  const options = { key: sessionId, workspaceId }
  const ask = () =>
    ctx.db.write((tx) => ctx.jobs.enqueue(tx, summarizeSession, { sessionId, keyId }, options))
  try {
    await (countSummary === undefined ? ask() : countSummary(ask))
  } catch (error) {
    ctx.log.warn({ err: error, sessionId }, 'a summary of a session could not be queued')
  }
}
