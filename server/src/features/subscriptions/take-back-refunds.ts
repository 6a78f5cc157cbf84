import { bookCredit } from '#features/credits/index.ts'
import type { Refund } from '#platform/billing/billing.ts'
import type { Tx } from '#platform/db/database.ts'
import { findCheckout } from './subscription-store.ts'

/**
 * A step: of a pack of credits whose money was given back, as large a part goes as of the money, also
 * where it was used already: what is missing then is made up by what is bought or given next. A refund
 * that did not come about is booked with its contrary, so that it counts for nothing whichever word
 * of it comes first. Each is booked once, by its id.
 */
export async function takeBackRefunds(
  tx: Tx,
  now: number,
  checkoutId: string,
  refunds: readonly Refund[],
): Promise<void> {
  const checkout = refunds.length === 0 ? undefined : await findCheckout(tx, checkoutId)
  if (checkout === undefined || checkout.credits_micros === null) return
  const { workspace_id: workspaceId, credits_micros: credits } = checkout
  for (const refund of refunds) {
    const amountMicros = partOf(credits, refund)
    const entry = { workspaceId, kind: 'adjustment' } as const
    await bookCredit(tx, now, {
      ...entry,
      amountMicros: 0 - amountMicros,
      idempotencyKey: `refund:${refund.id}`,
      note: 'money given back',
    })
    if (!refund.isOff) continue
    await bookCredit(tx, now, {
      ...entry,
      amountMicros,
      idempotencyKey: `refund off:${refund.id}`,
      note: 'money not given back',
    })
  }
}

/** Rounded down; micros times a sum of money can be more than a double holds exactly. */
function partOf(credits: number, { amountMinor, paidMinor }: Refund): number {
  if (paidMinor <= 0) return 0
  return Number((BigInt(credits) * BigInt(Math.min(amountMinor, paidMinor))) / BigInt(paidMinor))
}
