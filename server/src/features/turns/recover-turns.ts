import { providerLabel, tallies } from '#kernel/tallies.ts'
import type { Context } from '#platform/context.ts'
import type { Database, Tx } from '#platform/db/database.ts'
import { sessionOfId } from './claim-store.ts'
import { isHeld } from './lease-time.ts'
import { abandonedAtOnce, abandonedSessions, forgetPieces, readPieces } from './partial-store.ts'
import { sessionReleases } from './session-lease.ts'
import { freeSession, insertAnswer } from './turn-store.ts'

/** The `error_code` of an answer whose process ended while it answered. */
const interrupted = 'interrupted'

/** Sessions that could not be recovered: their failure is logged once, not every two seconds. */
const reported = new WeakMap<Database, ReadonlySet<string>>()

/**
 * Stores what turns of processes that have ended had streamed, as the answers of their sessions. Such a
 * turn costs nothing: its usage is unknown. A session that cannot be recovered does not delay others.
 *
 * @returns how many answers were stored
 */
export async function recoverTurns(ctx: Pick<Context, 'db' | 'clock' | 'log'>): Promise<number> {
  const { db, clock, log } = ctx
  const before = reported.get(db)
  const failed = new Set<string>()
  let count = 0
  for await (const id of abandoned(ctx))
    try {
      const recovered = await db.write((tx) => recoverWithin(db, tx, id, clock.now()))
      for (const { model } of recovered) tallies.turns.add(`${providerLabel(model)} ${interrupted}`)
      count += recovered.length
      sessionReleases.emit(id)
    } catch (err) {
      failed.add(id)
      if (before?.has(id) !== true)
        log.error({ err, sessionId: id }, 'the answer of a process that has ended was not stored')
    }
  reported.set(db, failed)
  return count
}

/** Page by page: sessions that cannot be recovered must not fill the only one. */
async function* abandoned({ db, clock }: Pick<Context, 'db' | 'clock'>): AsyncGenerator<string> {
  let last: string | undefined = ''
  while (last !== undefined) {
    const page = { now: clock.now(), after: last }
    const sessions: { readonly session_id: string }[] = await db
      .prepared(abandonedSessions)
      .read(page)
    for (const { session_id } of sessions) yield session_id
    last = sessions.length < abandonedAtOnce ? undefined : sessions.at(-1)?.session_id
  }
}

/**
 * A step: the pieces of a session's turns that have ended become its newest answers, and the session is
 * free.
 */
export async function recoverWithin(
  db: Database,
  tx: Tx,
  sessionId: string,
  now: number,
): Promise<{ readonly model: string }[]> {
  const [session] = await db.prepared(sessionOfId).within(tx, { id: sessionId })
  const recovered: { readonly model: string }[] = []
  for (const [messageId, pieces] of await readPieces(tx, sessionId)) {
    const [first, last] = [pieces[0], pieces.at(-1)]
    if (first === undefined || last === undefined) continue
    const { lease_token, model } = first
    // It was renewed meanwhile.
    if (session?.lease_token === lease_token && isHeld(session, now)) continue
    await forgetPieces(db, tx, messageId)
    const freed = { session_id: sessionId, lease_token, created_at: now }
    const [numbered] = await db.prepared(freeSession).within(tx, freed)
    // The session was deleted by a process of the version before.
    if (numbered === undefined) continue
    recovered.push({ model })
    await db.prepared(insertAnswer).within(tx, {
      session_id: sessionId,
      seq: numbered.seq,
      id: messageId,
      role: 'assistant',
      content: pieces.map(({ content }) => content).join(''),
      parts_json: null,
      calls_json: null,
      model,
      prompt_tokens: null,
      completion_tokens: null,
      cached_tokens: null,
      reasoning_tokens: null,
      latency_ms: last.stored_at - first.begun_at,
      first_token_ms: first.first_token_ms,
      finish_reason: null,
      error_code: interrupted,
      citations_json: null,
      reasoning: null,
      correlation_id: first.correlation_id,
      created_at: now,
    })
  }
  return recovered
}
