import { commonFaults, Fault } from '#kernel/fault.ts'
import type { Tx } from '#platform/db/database.ts'
import { findOrder } from './order-store.ts'
import { orderFromRow, type Order } from './order.ts'

/** A step. @throws Fault record_not_found */
export async function requireOrder(tx: Tx, workspaceId: string, id: string): Promise<Order> {
  const row = await findOrder(tx, workspaceId, id)
  if (row === undefined) throw new Fault(commonFaults.record_not_found)
  return orderFromRow(row)
}
