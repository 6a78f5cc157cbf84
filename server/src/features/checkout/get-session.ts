import { findOrderOfAgent, orderFromRow } from '#features/orders/index.ts'
import { Fault } from '#kernel/fault.ts'
import { isUuid } from '#kernel/ids.ts'
import type { Context } from '#platform/context.ts'
import type { Reader, Tx } from '#platform/db/database.ts'
import { assess } from './assess.ts'
import { checkoutFaults as faults } from './checkout-faults.ts'
import {
  sessionFromRow,
  sessionRow,
  type CheckoutSession,
  type ShopCaller,
} from './checkout-session.ts'
import { findSession, updateSession } from './session-store.ts'

/**
 * The current state of the session: its price is computed again while it is open.
 *
 * @throws Fault session_not_found
 */
export async function getCheckout(
  ctx: Pick<Context, 'db' | 'clock'>,
  caller: ShopCaller,
  id: string,
): Promise<CheckoutSession> {
  const { read } = ctx.db
  const now = ctx.clock.now()
  const session = await requireSession(read, caller, id, now)
  return await withOrder(read, await assess(read, session, now))
}

/** A step. @throws Fault session_not_found */
export async function requireSession(
  reader: Reader,
  caller: ShopCaller,
  id: string,
  now: number,
): Promise<CheckoutSession> {
  const row = isUuid(id) ? await findSession(reader, caller, id.toLowerCase()) : undefined
  if (row === undefined) throw new Fault(faults.session_not_found)
  return sessionFromRow(row, now)
}

/** A step: the session with its order. */
export async function withOrder(
  reader: Reader,
  session: CheckoutSession,
): Promise<CheckoutSession> {
  if (session.orderId === null) return session
  const row = await findOrderOfAgent(reader, session, session.orderId)
  return row === undefined ? session : { ...session, order: orderFromRow(row) }
}

/** A step: stores a changed session. */
export async function saveSession(tx: Tx, session: CheckoutSession): Promise<CheckoutSession> {
  await updateSession(tx, sessionRow(session))
  return session
}
