import type { Context } from '#platform/context.ts'
import type { Engine, Tx } from '#platform/db/database.ts'
import { insertEntry, type NewEntryRow } from './ledger-store.ts'
import { deleteReservations } from './reservation-store.ts'
import type { TurnCredits } from './turn-credits.ts'
import { countUse, lockWindows, waitForRowLocks, type CountedUse } from './window-store.ts'

/** What a turn's entry is built from: its charge, and columns of the answer's row. */
interface TurnEntry extends CountedUse {
  /** The answer's id, and the entry's. The entry does not repeat it as `message_id`. */
  readonly id: string
  readonly session_id: string | null
  readonly model: string | null
  readonly prompt_tokens: number | null
  readonly completion_tokens: number | null
  readonly cached_tokens: number | null
  readonly created_at: number
}

/** The row of a turn's entry, built from values or from the placeholders of a statement. */
export function entryOfTurn(given: TurnEntry): NewEntryRow {
  return {
    id: given.id,
    workspace_id: given.workspace_id,
    kind: 'turn',
    amount_micros: given.amount_micros,
    agent_id: given.agent_id,
    session_id: given.session_id,
    message_id: null,
    key_id: given.key_id,
    end_user: given.end_user,
    model: given.model,
    prompt_tokens: given.prompt_tokens,
    completion_tokens: given.completion_tokens,
    cached_tokens: given.cached_tokens,
    counted_at: given.counted_at,
    created_at: given.created_at,
  }
}

/**
 * A step: counts a turn whose credits are limited, and deletes its reservations. It must be the
 * last step of a unit that begins with `waitForRowLocks`, because other turns wait for the rows
 * that it locks.
 */
export async function countLimitedTurn(
  tx: Tx,
  engine: Engine,
  charge: CountedUse,
  turnId: string,
): Promise<void> {
  await lockWindows(tx, engine, charge)
  await countUse(tx, charge).execute()
  await deleteReservations(tx, turnId)
}

interface Used {
  readonly promptTokens: number
  readonly cachedTokens?: number
  readonly completionTokens: number
}

/** Books a turn that the client does not want stored. */
export async function bookUnstoredTurn(
  ctx: Pick<Context, 'db' | 'clock'>,
  credits: TurnCredits,
  used: Used,
  channel: string,
): Promise<void> {
  await book(ctx, credits, used, { kind: 'turn', session_id: null, channel })
}

/** Books a summary of a session, whatever became of it. */
export async function bookSummary(
  ctx: Pick<Context, 'db' | 'clock'>,
  credits: TurnCredits,
  used: Used,
  sessionId: string,
): Promise<void> {
  await book(ctx, credits, used, { kind: 'summary', session_id: sessionId })
}

async function book(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  credits: TurnCredits,
  used: Used,
  of: Pick<NewEntryRow, 'kind' | 'session_id' | 'channel'>,
): Promise<void> {
  const { promptTokens: prompt_tokens, completionTokens: completion_tokens } = used
  if (prompt_tokens + completion_tokens === 0) return await credits.release()
  const charge = credits.chargeFor(used)
  const { turnId: id, model } = credits
  const cached_tokens = used.cachedTokens ?? null
  const answer = { id, session_id: null, model, prompt_tokens, completion_tokens, cached_tokens }
  await db.write(async (tx) => {
    await waitForRowLocks(tx, db.engine)
    const entry = entryOfTurn({ ...charge, ...answer, created_at: clock.now() })
    await insertEntry(tx, { ...entry, ...of })
    await countLimitedTurn(tx, db.engine, charge, id)
  })
}
