import { newId } from '#kernel/ids.ts'
import type { Context } from '#platform/context.ts'
import type { Reader, Tx } from '#platform/db/database.ts'
import { bookCredit } from './book-entry.ts'
import type { Cap } from './cap.ts'
import {
  insertEntry,
  sumUse,
  sumWorkspace,
  unlimitedKeyPrefix,
  sumUnlimited,
} from './ledger-store.ts'
import { spanOf } from './period.ts'
import { restOfMonths, settleMonth } from './settle-month.ts'
import { deleteBalance, findBalance, holdWindows, insertWindow } from './window-store.ts'

/** The window of a balance never ends: the latest time of a JavaScript date. */
const endOfTime = 8_640_000_000_000_000

type WindowContext = Pick<Context, 'db' | 'clock'>

/** Begins to count what a capped subject uses in the day or month of a time. */
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
 * The amounts that a balance opens with. Use while credits were unlimited consumes the rest of a
 * month's credits, which would lapse anyway, but no bought or granted ones; the remainder is
 * forgiven. Earlier debts and revoked credits stay: otherwise a turn on an unlimited plan would
 * cancel debts.
 */
export async function sumToOpen(
  reader: Reader,
  workspaceId: string,
  now: number,
): Promise<{
  readonly givenMicros: number
  readonly usedMicros: number
  readonly forgivenMicros: number
}> {
  const { givenMicros, usedMicros } = await sumWorkspace(reader, workspaceId)
  const unlimited = await sumUnlimited(reader, workspaceId)
  const before = Math.max(0, givenMicros - usedMicros + unlimited.usedMicros)
  const takes =
    unlimited.since === null
      ? before
      : Math.min(before, await restOfMonths(reader, workspaceId, now, unlimited.since))
  const forgivenMicros = Math.max(0, unlimited.usedMicros - takes)
  return { givenMicros, usedMicros, forgivenMicros }
}

/**
 * A step: closes a workspace's balance because its credits are unlimited from now on. A ledger
 * entry records the time, so that later use creates no debt.
 */
export async function closeBalance(tx: Tx, workspaceId: string, now: number): Promise<void> {
  if ((await findBalance(tx, workspaceId)) === undefined) return
  await deleteBalance(tx, workspaceId)
  await bookCredit(tx, now, {
    workspaceId,
    kind: 'adjustment',
    amountMicros: 0,
    idempotencyKey: `${unlimitedKeyPrefix}${newId(now)}`,
    note: 'credits are unlimited from here',
  })
}

/**
 * Opens the balance of a workspace on a plan with limited credits. Use beyond its credits while
 * they were unlimited is forgiven first.
 */
export async function openBalance(
  { db, clock, config }: WindowContext & Pick<Context, 'config'>,
  workspaceId: string,
  includedMicros: number,
): Promise<void> {
  await db.write(async (tx) => {
    await holdWindows(tx, db.engine)
    if ((await findBalance(tx, workspaceId)) === undefined)
      await insertBalance(tx, workspaceId, clock)
    await settleMonth(tx, { clock, config }, workspaceId, includedMicros)
  })
}

async function insertBalance(tx: Tx, workspaceId: string, clock: Context['clock']): Promise<void> {
  const now = clock.now()
  const sums = await sumToOpen(tx, workspaceId, now)
  const { givenMicros, usedMicros, forgivenMicros: adjustment } = sums
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
