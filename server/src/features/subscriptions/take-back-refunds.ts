import { bookCredit } from '#features/credits/index.ts'
import type { Refund } from '#platform/billing/billing.ts'
import type { Tx } from '#platform/db/database.ts'
import { findCheckout } from './subscription-store.ts'

/**
 * A step: for a refunded pack of credits, books the same share of its credits back, even if they are
 * used: later credits then make up the difference. A failed refund is booked together with its
 * reversal, so that it has no effect whichever event comes first. Each is booked once, by its id.
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

/** Rounded down. In BigInt, because micros times money can exceed what a double holds exactly. */
function partOf(credits: number, { amountMinor, paidMinor }: Refund): number {
  if (paidMinor <= 0) return 0
  return Number((BigInt(credits) * BigInt(Math.min(amountMinor, paidMinor))) / BigInt(paidMinor))
}
