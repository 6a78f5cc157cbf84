import { shopSettings } from '#features/catalog/index.ts'
import { placeOrder, queueOrderEvent } from '#features/orders/index.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { moved, type CheckoutSession } from './checkout-session.ts'
import { saveSession } from './get-session.ts'
import { takeAssessedStock } from './session-stock.ts'
import { giveUpCharge } from './void-charge.ts'

/** A step: completes a free order without the provider, which would refuse to charge zero. */
export async function completeFree(
  ctx: Pick<Context, 'payments' | 'jobs' | 'clock' | 'config'>,
  tx: Tx,
  session: CheckoutSession,
  now: number,
): Promise<CheckoutSession> {
  await takeAssessedStock(tx, session)
  await giveUpCharge(ctx, tx, session, now)
  const { support } = await shopSettings(tx, session)
  const { isTest } = ctx.payments
  const order = await placeOrder(tx, session, { support, isTest, now })
  const begun = moved(session, 'begin_payment', { status: 'complete_in_progress' })
  const completed = moved(begun, 'payment_succeeded', {
    status: 'completed',
    orderId: order.id,
    choices: { ...session.choices, notices: [], authentication: null },
    updatedAt: now,
  })
  await saveSession(tx, completed)
  await queueOrderEvent(ctx, tx, order, 'order_create')
  return { ...completed, order }
}
