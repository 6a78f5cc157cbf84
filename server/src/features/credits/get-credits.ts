import { commonFaults, Fault } from '#kernel/fault.ts'
import { includedMicros } from '#kernel/plan.ts'
import type { Context } from '#platform/context.ts'
import { findPool } from './credit-pool.ts'
import { drawableMicros } from './draw-shared-credits.ts'
import { sumCountedUse } from './day-store.ts'
import { listMonthlyGrants } from './ledger-store.ts'
import { sumToOpen } from './open-windows.ts'
import { monthName, spanOf } from './period.ts'
import { findPlan } from './plan-store.ts'
import { heldOf } from './reservation-store.ts'
import { sumGranted } from './share-store.ts'
import { findBalance } from './window-store.ts'

/** A workspace's credits and their use, in micros of a credit. */
export interface Credits {
  /** Null where credits are unlimited. */
  readonly balanceMicros: number | null
  /** Unused included credits of the owner's other workspaces, which this one can use as well. */
  readonly sharedMicros: number
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
  const { read, report } = ctx.db
  const now = ctx.clock.now()
  const plan = await findPlan(read, workspaceId)
  if (plan === undefined) throw new Fault(commonFaults.record_not_found)
  const included = includedMicros(ctx.config, plan)
  const month = spanOf('month', now)
  const common = {
    includedMicros: included,
    usedThisMonthMicros: await sumCountedUse(report, workspaceId, month),
    monthEndsAt: month.endsAt,
  }
  if (included === null)
    return { ...common, balanceMicros: null, sharedMicros: 0, reservedMicros: 0 }
  const sharedMicros = await drawableMicros(ctx, { workspaceId, includedMicros: included })
  const balance = await findBalance(read, workspaceId)
  if (balance === undefined) {
    const balanceMicros = await balanceToBe(ctx, workspaceId, { included, now })
    return { ...common, sharedMicros, balanceMicros, reservedMicros: 0 }
  }
  const held = await heldOf(read, [balance.id], now)
  return {
    ...common,
    sharedMicros,
    balanceMicros: balance.limit_micros - balance.used_micros,
    reservedMicros: held.get(balance.id) ?? 0,
  }
}

/** The balance that a workspace's first turn or grant will open. */
async function balanceToBe(
  { db, config }: Pick<Context, 'db' | 'config'>,
  workspaceId: string,
  { included, now }: { readonly included: number; readonly now: number },
): Promise<number> {
  const { givenMicros, usedMicros, forgivenMicros } = await sumToOpen(db.scan, workspaceId, now)
  const month = monthName(now)
  const grants = await listMonthlyGrants(db.scan, workspaceId, [month])
  const given = grants.reduce((total, { amountMicros }) => total + amountMicros, 0)
  const pool = await findPool(db.read, config, workspaceId)
  const left =
    pool === null ? included : pool.sizeMicros - (await sumGranted(db.read, pool.userId, month))
  const more = Math.max(0, Math.min(included - given, left))
  return givenMicros - usedMicros + forgivenMicros + more
}
