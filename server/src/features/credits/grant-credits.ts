import { commonFaults, Fault } from '#kernel/fault.ts'
import { newId } from '#kernel/ids.ts'
import type { Context } from '#platform/context.ts'
import { bookCredit } from './book-entry.ts'
import { requireOperator } from './operator.ts'
import { findPlan } from './plan-store.ts'

interface GrantRequest {
  readonly workspaceId: string
  /** Negative revokes credits. */
  readonly amountMicros: number
  readonly note: string | null
  /** A repeated call with the same key books nothing. */
  readonly idempotencyKey: string | undefined
}

/**
 * The operator grants a workspace credits, which do not lapse, or revokes some.
 *
 * @returns false when this key was booked before
 * @throws Fault operator_required, record_not_found
 */
export async function grantCredits(
  ctx: Pick<Context, 'db' | 'clock'>,
  userId: string,
  { workspaceId, amountMicros, note, idempotencyKey }: GrantRequest,
): Promise<boolean> {
  const now = ctx.clock.now()
  const key = idempotencyKey ?? newId(now)
  return await ctx.db.write(async (tx) => {
    await requireOperator(tx, userId)
    if ((await findPlan(tx, workspaceId)) === undefined)
      throw new Fault(commonFaults.record_not_found)
    return await bookCredit(tx, now, {
      workspaceId,
      kind: amountMicros < 0 ? 'adjustment' : 'grant',
      amountMicros,
      idempotencyKey: `given:${key}`,
      note,
    })
  })
}
