import { requireRecordRoom } from '#features/quotas/index.ts'
import { requireAgent } from '#features/agents/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { openPlan, type UpsertProduct } from './product-plan.ts'
import { productFromRow, type Product } from './product.ts'
import { storePlan } from './store-plan.ts'
import { findProduct, markProductDeleted } from './store.ts'

/**
 * Creates a product, or changes the given fields of one.
 *
 * @throws Fault record_not_found, product_field_missing, sku_taken
 */
export function upsertProduct(
  ctx: Pick<Context, 'db' | 'clock' | 'config'>,
  workspaceId: string,
  appId: string,
  input: UpsertProduct,
): Promise<Product> {
  return ctx.db.write(async (tx) => {
    const agent = await requireAgent(tx, workspaceId, appId)
    const shelf = { workspaceId, agentId: agent.id }
    const plan = await openPlan(tx, ctx.db.engine, ctx.clock.now(), shelf, [input])
    const { row, isNew } = plan.put(input)
    await storePlan(tx, ctx.db, plan)
    if (isNew) await requireRecordRoom(tx, ctx, 'products_per_agent', agent.id, 0)
    return productFromRow(row)
  })
}

/**
 * Deletes a product. Open checkouts that contain it can no longer be paid.
 *
 * @throws Fault record_not_found
 */
export function deleteProduct(
  ctx: Pick<Context, 'db' | 'clock'>,
  workspaceId: string,
  id: string,
): Promise<Product> {
  return ctx.db.write(async (tx) => {
    const row = await findProduct(tx, workspaceId, id)
    if (row === undefined) throw new Fault(commonFaults.record_not_found)
    await markProductDeleted(tx, id, ctx.clock.now())
    return productFromRow(row)
  })
}
