import { newId } from '#kernel/ids.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import type { Cap } from './cap.ts'
import { insertEntry, sumUse, sumWorkspace } from './ledger-store.ts'
import { spanOf } from './period.ts'
import { settleMonth } from './settle-month.ts'
import { findBalance, holdWindows, insertWindow } from './window-store.ts'

/** The window of a balance never ends; the largest moment of a JavaScript date. */
const endOfTime = 8_640_000_000_000_000

type WindowContext = Pick<Context, 'db' | 'clock'>

/** Begins to count what a capped subject uses in the day or month of a moment. */
export async function openCapWindow(
  { db, clock }: WindowContext,
  workspaceId: string,
  cap: Cap,
  at: number,
): Promise<void> {
  const { startsAt, endsAt } = spanOf(cap.period, at)
  await db.write(async (tx) => {
    await holdWindows(tx, db.engine)
    await insertWindow(tx, {
      id: newId(clock.now()),
      workspace_id: workspaceId,
      subject: cap.subject,
      subject_id: cap.subjectId,
      period: cap.period,
      starts_at: startsAt,
      ends_at: endsAt,
      limit_micros: cap.amountMicros,
      used_micros: await sumUse(tx, workspaceId, cap, { startsAt, endsAt }),
    })
  })
}

/**
 * Begins to count what a workspace has left, whose plan gives it so many credits a month. What it
 * used beyond what it was given, while its credits were unlimited, is put right first.
 */
export async function openBalance(
  { db, clock }: WindowContext,
  workspaceId: string,
  includedMicros: number,
): Promise<void> {
  await db.write(async (tx) => {
    await holdWindows(tx, db.engine)
    if ((await findBalance(tx, workspaceId)) === undefined)
      await insertBalance(tx, workspaceId, clock)
    await settleMonth(tx, workspaceId, includedMicros, clock.now())
  })
}

async function insertBalance(tx: Tx, workspaceId: string, clock: Context['clock']): Promise<void> {
  const now = clock.now()
  const { givenMicros, usedMicros } = await sumWorkspace(tx, workspaceId)
  const adjustment = Math.max(0, usedMicros - givenMicros)
  if (adjustment > 0)
    await insertEntry(tx, {
      id: newId(now),
      workspace_id: workspaceId,
      kind: 'adjustment',
      amount_micros: adjustment,
      note: 'used while credits were unlimited',
      counted_at: now,
      created_at: now,
    })
  await insertWindow(tx, {
    id: newId(now),
    workspace_id: workspaceId,
    subject: 'workspace',
    subject_id: '',
    period: 'balance',
    starts_at: 0,
    ends_at: endOfTime,
    limit_micros: givenMicros + adjustment,
    used_micros: usedMicros,
  })
}
