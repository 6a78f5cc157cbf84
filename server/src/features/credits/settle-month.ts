import type { Context } from '#platform/context.ts'
import type { Reader, Tx } from '#platform/db/database.ts'
import { bookCredit } from './book-entry.ts'
import { findPool } from './credit-pool.ts'
import {
  expiryKey,
  listMonthlyGrants,
  maxGrantsAMonth,
  monthKey,
  sumUse,
  wholeWorkspace,
} from './ledger-store.ts'
import { monthsUntil, spanOf, type Span } from './period.ts'
import { addToShare, listShares, sumGranted } from './share-store.ts'
import { findBalance } from './window-store.ts'

/** After a longer stop of the service, workspaces keep the rest of older months. */
export const monthsLookedBack = 24

/**
 * A step: grants a workspace this month's credits, once; what is left of an earlier month's credits
 * lapses. A larger plan in the middle of a month grants the difference; a smaller one revokes nothing.
 * Workspaces that share credits receive no more together than the largest of their plans includes.
 * The workspace must have a balance.
 */
export async function settleMonth(
  tx: Tx,
  { clock, config }: Pick<Context, 'clock' | 'config'>,
  workspaceId: string,
  includedMicros: number,
): Promise<void> {
  const now = clock.now()
  const months = monthsUntil(now, monthsLookedBack)
  const [month = ''] = months
  const byMonth = await monthlyGrants(tx, workspaceId, months)
  const shares = await listShares(tx, workspaceId, months)
  const moved = (name: string) =>
    sum(shares.filter((share) => share.month === name).map((share) => share.movedMicros))
  const given = (name: string) =>
    moved(name) + sum(byMonth.get(name)?.map((grant) => grant.amountMicros) ?? [])
  for (const name of byMonth.keys())
    if (name !== month) await lapse(tx, workspaceId, name, given(name), now)
  const nth = byMonth.get(month)?.length ?? 0
  if (includedMicros === 0 || nth >= maxGrantsAMonth) return
  const pool = await findPool(tx, config, workspaceId)
  const left =
    pool === null ? includedMicros : pool.sizeMicros - (await sumGranted(tx, pool.userId, month))
  const more = Math.max(0, Math.min(includedMicros - given(month), left))
  // A first grant of nothing shows that the month is settled.
  if (more === 0 && nth > 0) return
  await bookCredit(tx, now, {
    workspaceId,
    kind: 'grant',
    amountMicros: more,
    idempotencyKey: monthKey(month, nth),
    note: month,
  })
  if (pool !== null)
    await addToShare(tx, { userId: pool.userId, month, workspaceId }, { grantedMicros: more })
}

async function monthlyGrants(reader: Reader, workspaceId: string, months: readonly string[]) {
  const grants = await listMonthlyGrants(reader, workspaceId, months)
  return Map.groupBy(grants, (grant) => grant.month)
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
  const months = monthsUntil(now, monthsLookedBack)
  const shares = Map.groupBy(await listShares(reader, workspaceId, months), (share) => share.month)
  let rest = 0
  for (const [month, given] of await monthlyGrants(reader, workspaceId, months)) {
    const used = await sumUse(reader, workspaceId, wholeWorkspace, spanOfMonth(month), upTo)
    const moved = sum(shares.get(month)?.map(({ movedMicros }) => movedMicros) ?? [])
    rest += Math.max(0, moved + sum(given.map(({ amountMicros }) => amountMicros)) - used)
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
