import type { Tx } from '#platform/db/database.ts'
import { bookCredit } from './book-credit.ts'
import { expiryKey, listMonthlyGrants, monthKey, maxGrantsAMonth, sumUse } from './ledger-store.ts'
import { monthsUntil, spanOf } from './period.ts'
import { findBalance } from './window-store.ts'

/** A service that stood still longer than this leaves an old month's rest to the workspace. */
const monthsLookedBack = 24

/**
 * A step: gives a workspace the credits of this month, once; what is left of an earlier month's
 * lapses. A larger plan in the middle of a month gives what it has more; a smaller one takes
 * nothing back. The workspace has a balance.
 */
export async function settleMonth(
  tx: Tx,
  workspaceId: string,
  includedMicros: number,
  now: number,
): Promise<void> {
  const months = monthsUntil(now, monthsLookedBack)
  const [month = ''] = months
  const grants = await listMonthlyGrants(tx, workspaceId, months)
  const byMonth = Map.groupBy(grants, (grant) => grant.month)
  const given = (name: string) => sum(byMonth.get(name)?.map((grant) => grant.amountMicros) ?? [])
  for (const name of byMonth.keys())
    if (name !== month) await lapse(tx, workspaceId, name, given(name), now)
  const nth = byMonth.get(month)?.length ?? 0
  const more = includedMicros - given(month)
  if (more <= 0 || nth >= maxGrantsAMonth) return
  await bookCredit(tx, now, {
    workspaceId,
    kind: 'grant',
    amountMicros: more,
    idempotencyKey: monthKey(month, nth),
    note: month,
  })
}

/** Monthly credits are used before any others, so what lapses is what that month did not use. */
async function lapse(
  tx: Tx,
  workspaceId: string,
  month: string,
  givenMicros: number,
  now: number,
): Promise<void> {
  const span = spanOf('month', Date.parse(`${month}-01T00:00:00Z`))
  const used = await sumUse(tx, workspaceId, { subject: 'workspace', subjectId: '' }, span)
  const balance = await findBalance(tx, workspaceId)
  const left = balance === undefined ? 0 : balance.limit_micros - balance.used_micros
  await bookCredit(tx, now, {
    workspaceId,
    kind: 'expiry',
    amountMicros: 0 - Math.max(0, Math.min(givenMicros - used, left)),
    idempotencyKey: expiryKey(month),
    note: month,
  })
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0)
}
