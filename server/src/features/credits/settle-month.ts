import type { Reader, Tx } from '#platform/db/database.ts'
import { bookCredit } from './book-entry.ts'
import {
  expiryKey,
  listMonthlyGrants,
  maxGrantsAMonth,
  monthKey,
  sumUse,
  wholeWorkspace,
} from './ledger-store.ts'
import { monthsUntil, spanOf, type Span } from './period.ts'
import { findBalance } from './window-store.ts'

/** After a longer stop of the service, workspaces keep the rest of older months. */
const monthsLookedBack = 24

/**
 * A step: grants a workspace this month's credits, once; what is left of an earlier month's credits
 * lapses. A larger plan in the middle of a month grants the difference; a smaller one revokes nothing.
 * The workspace must have a balance.
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

/**
 * What was left of a workspace's monthly credits when an entry was made, without lapsed months.
 *
 * @param upTo the id of that entry
 */
export async function restOfMonths(
  reader: Reader,
  workspaceId: string,
  now: number,
  upTo: string,
): Promise<number> {
  const grants = await listMonthlyGrants(reader, workspaceId, monthsUntil(now, monthsLookedBack))
  let rest = 0
  for (const [month, given] of Map.groupBy(grants, (grant) => grant.month)) {
    const used = await sumUse(reader, workspaceId, wholeWorkspace, spanOfMonth(month), upTo)
    rest += Math.max(0, sum(given.map(({ amountMicros }) => amountMicros)) - used)
  }
  return rest
}

/** Monthly credits are used before any others, so those not used in their month lapse. */
async function lapse(
  tx: Tx,
  workspaceId: string,
  month: string,
  givenMicros: number,
  now: number,
): Promise<void> {
  const used = await sumUse(tx, workspaceId, wholeWorkspace, spanOfMonth(month))
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

function spanOfMonth(month: string): Span {
  return spanOf('month', Date.parse(`${month}-01T00:00:00Z`))
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0)
}
