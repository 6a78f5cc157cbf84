import { commonFaults, Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { listMonthlyGrants, sumUse, wholeWorkspace } from './ledger-store.ts'
import { sumToOpen } from './open-windows.ts'
import { monthName, spanOf } from './period.ts'
import { includedMicros } from './turn-credits.ts'
import { findPlan } from './plan-store.ts'
import { heldOf } from './reservation-store.ts'
import { findBalance } from './window-store.ts'

/** A workspace's credits and their use, in micros of a credit. */
export interface Credits {
  /** Null where credits are unlimited. */
  readonly balanceMicros: number | null
  /** What running turns have reserved. */
  readonly reservedMicros: number
  /** What the plan includes each month; null where credits are unlimited. */
  readonly includedMicros: number | null
  readonly usedThisMonthMicros: number
  /** When the next month's credits are granted; epoch milliseconds. */
  readonly monthEndsAt: number
}

/** @throws Fault record_not_found */
export async function getCredits(
  ctx: Pick<Context, 'db' | 'clock' | 'config'>,
  workspaceId: string,
): Promise<Credits> {
  const { read, scan } = ctx.db
  const now = ctx.clock.now()
  const plan = await findPlan(read, workspaceId)
  if (plan === undefined) throw new Fault(commonFaults.record_not_found)
  const included = includedMicros(ctx.config, plan)
  const month = spanOf('month', now)
  const common = {
    includedMicros: included,
    usedThisMonthMicros: await sumUse(scan, workspaceId, wholeWorkspace, month),
    monthEndsAt: month.endsAt,
  }
  if (included === null) return { ...common, balanceMicros: null, reservedMicros: 0 }
  const balance = await findBalance(read, workspaceId)
  if (balance === undefined) {
    const balanceMicros = await balanceToBe(ctx, workspaceId, { included, now })
    return { ...common, balanceMicros, reservedMicros: 0 }
  }
  const held = await heldOf(read, [balance.id], now)
  return {
    ...common,
    balanceMicros: balance.limit_micros - balance.used_micros,
    reservedMicros: held.get(balance.id) ?? 0,
  }
}

/** The balance that a workspace's first turn or grant will open. */
async function balanceToBe(
  { db }: Pick<Context, 'db'>,
  workspaceId: string,
  { included, now }: { readonly included: number; readonly now: number },
): Promise<number> {
  const { givenMicros, usedMicros, forgivenMicros } = await sumToOpen(db.scan, workspaceId, now)
  const month = await listMonthlyGrants(db.scan, workspaceId, [monthName(now)])
  const given = month.reduce((total, { amountMicros }) => total + amountMicros, 0)
  return givenMicros - usedMicros + forgivenMicros + Math.max(0, included - given)
}
