import { requireAgent } from '#features/agents/index.ts'
import { Fault } from '#kernel/fault.ts'
import { isUuid } from '#kernel/ids.ts'
import { pageById, type Page, type PageRequest } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import { requireOrder } from './change-order.ts'
import { orderFaults as faults } from './order-faults.ts'
import { findOrderByReceipt, findOrderOfAgent, listOrderRows, type Seller } from './order-store.ts'
import { orderFromRow, type Order, type OrderStatus } from './order.ts'

export interface OrderSearch extends PageRequest {
  readonly status?: OrderStatus | undefined
}

/**
 * The orders of an agent, newest first.
 *
 * @throws Fault record_not_found
 */
export async function listOrders(
  ctx: Pick<Context, 'db'>,
  workspaceId: string,
  appId: string,
  { status, ...page }: OrderSearch,
): Promise<Page<Order>> {
  const agent = await requireAgent(ctx.db.read, workspaceId, appId)
  const filter = { workspaceId, agentId: agent.id, status }
  return await pageById(page, (window) => listOrderRows(ctx.db.read, filter, window), orderFromRow)
}

/** @throws Fault record_not_found */
export function getOrder(
  ctx: Pick<Context, 'db'>,
  workspaceId: string,
  id: string,
): Promise<Order> {
  return requireOrder(ctx.db.read, workspaceId, id)
}

/**
 * An order of the agent that a key is for.
 *
 * @throws Fault order_not_found
 */
export async function getOrderOfShop(
  ctx: Pick<Context, 'db'>,
  seller: Seller,
  id: string,
): Promise<Order> {
  const row = isUuid(id) ? await findOrderOfAgent(ctx.db.read, seller, id.toLowerCase()) : undefined
  if (row === undefined) throw new Fault(faults.order_not_found)
  return orderFromRow(row)
}

/**
 * The order of a buyer's link.
 *
 * @throws Fault order_not_found
 */
export async function getOrderByReceipt(
  ctx: Pick<Context, 'db'>,
  agentId: string,
  receiptKey: string,
): Promise<Order> {
  const isKey = /^[\w-]{32}$/.test(receiptKey)
  const row = isKey ? await findOrderByReceipt(ctx.db.read, agentId, receiptKey) : undefined
  if (row === undefined) throw new Fault(faults.order_not_found)
  return orderFromRow(row)
}
