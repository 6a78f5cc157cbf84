import { requireAgent } from '#features/agents/index.ts'
import { requireRecordRoom } from '#features/quotas/index.ts'
import { CpuSlice } from '#kernel/cpu-slice.ts'
import { commonFaults, Fault, isFault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { findNamedVersions, showProducts } from './bulk-store.ts'
import { catalogFaults } from './catalog-faults.ts'
import {
  hidden,
  inGroups,
  removeHidden,
  statementsOfUnit,
  storeHidden,
  type HiddenParts,
} from './hidden-products.ts'
import { namesIn, openPlan, type ProductPlan } from './product-plan.ts'
import { invalid, readProducts, type ReadProduct } from './read-products-csv.ts'
import { addWords, removeStaleWords, type Rewording } from './reword-products.ts'
import { rewordings, storeChanges, storePlan } from './store-plan.ts'
import type { Shelf } from './store.ts'

type Ports = Pick<Context, 'db' | 'clock' | 'config'>

export interface ImportSummary {
  readonly created: number
  readonly updated: number
}

/** How often other changes of the same products may overtake an import. */
const maxOvertaken = 3
/** So few lines are then imported by one unit, which nothing overtakes, and which is short. */
const linesOfOneUnit = 20

/**
 * Creates or updates a product for each line of a CSV text; either all of them or none. New products
 * are stored hidden, in units of a few milliseconds; the last unit shows them and changes the others. A
 * process that dies before it leaves deleted products, which are pruned like others. New words of products
 * that exist are stored before that unit and former ones removed after it, unless they are few.
 *
 * @throws Fault record_not_found, limit_reached, products_changed if other changes overtook it every time,
 *   csv_invalid with what is wrong in which line
 */
export async function importProducts(
  ctx: Ports,
  workspaceId: string,
  appId: string,
  csv: string,
): Promise<ImportSummary> {
  const lines = await readProducts(csv)
  const { id: agentId } = await requireAgent(ctx.db.read, workspaceId, appId)
  const shelf = { workspaceId, agentId }
  for (let overtaken = 0; overtaken < maxOvertaken; overtaken += 1) {
    const summary = await importHidden(ctx, shelf, lines)
    if (summary !== null) return summary
  }
  if (lines.length > linesOfOneUnit) throw new Fault(catalogFaults.products_changed)
  return await ctx.db.write(async (tx) => {
    await requireAgent(tx, workspaceId, agentId)
    const { plan, summary } = await planLines(tx, ctx, shelf, lines)
    await storePlan(tx, ctx.db, plan)
    if (summary.created > 0) await requireRecordRoom(tx, ctx, 'products_per_agent', agentId, 0)
    return summary
  })
}

/** @returns null if another change overtook it: then nothing is stored */
async function importHidden(
  ctx: Ports,
  shelf: Shelf,
  lines: readonly ReadProduct[],
): Promise<ImportSummary | null> {
  const { plan, summary } = await planLines(ctx.db.read, ctx, shelf, lines)
  const { created } = plan
  const stored: HiddenParts = []
  const words = await Array.fromAsync(rewordings(ctx.db, plan.changed))
  const early = words.length > 1 ? words : []
  try {
    const deleted_at = ctx.clock.now()
    const hiddenRows = created.map((row) => ({ ...row, deleted_at }))
    await storeHidden(ctx, hiddenRows, stored, (tx) =>
      requireRecordRoom(tx, ctx, 'products_per_agent', shelf.agentId, created.length),
    )
    await inUnits(ctx, early, addWords)
    await ctx.db.write(async (tx) => {
      await requireUnchanged(tx, ctx, plan, lines)
      await publish(tx, ctx, plan, early.length > 0 ? [] : words)
      return summary
    })
  } catch (error) {
    await removeHidden(ctx, stored)
    await inUnits(ctx, early, removeStaleWords)
    if (error === overtook) return null
    throw error
  }
  await inUnits(ctx, early, removeStaleWords)
  return summary
}

const overtook = new Error('the catalogue has changed since the import was planned')

/** Changes the words of products in short units, which change no answer. */
async function inUnits(
  { db }: Ports,
  words: readonly Rewording[],
  step: typeof addWords,
): Promise<void> {
  const slice = new CpuSlice()
  for await (const group of inGroups(words, statementsOfUnit[db.engine]))
    await db.write(async (tx) => {
      for (const rewording of group) {
        if (slice.isOver) await slice.next()
        await step(tx, db.engine, rewording)
      }
    }, hidden)
}

/** A step: the products that the lines name are those that the plan was made for. */
async function requireUnchanged(
  tx: Tx,
  { db }: Ports,
  { shelf, stored }: ProductPlan,
  lines: readonly ReadProduct[],
): Promise<void> {
  await requireAgent(tx, shelf.workspaceId, shelf.agentId)
  const names = namesIn(lines.map(({ product }) => product))
  const versions = await findNamedVersions(tx, db.engine, shelf, names)
  const isSame = [...versions].every(([id, version]) => stored.get(id)?.updated_at === version)
  if (!isSame || versions.size !== stored.size) throw overtook
}

/** A step of the only unit that others see: it is short, because the new products are already there. */
async function publish(
  tx: Tx,
  ctx: Ports,
  { shelf, created, changed }: ProductPlan,
  words: readonly Rewording[],
): Promise<void> {
  await storeChanges(tx, ctx.db, changed, words)
  await showProducts(tx, ctx.db.engine, created)
  if (created.length > 0) await requireRecordRoom(tx, ctx, 'products_per_agent', shelf.agentId, 0)
}

/** @throws Fault csv_invalid for the first line that cannot be stored */
async function planLines(
  reader: Parameters<typeof openPlan>[0],
  { db, clock }: Ports,
  shelf: Shelf,
  lines: readonly ReadProduct[],
): Promise<{ readonly plan: ProductPlan; readonly summary: ImportSummary }> {
  const products = lines.map(({ product }) => product)
  const plan = await openPlan(reader, db.engine, clock.now(), shelf, products)
  const slice = new CpuSlice()
  let created = 0
  for (const { line, product } of lines) {
    if (slice.isOver) await slice.next()
    try {
      if (plan.put(product).isNew) created += 1
    } catch (error) {
      if (error instanceof Fault) throw invalid([`line ${line}: ${inWords(error)}`])
      throw error
    }
  }
  return { plan, summary: { created, updated: lines.length - created } }
}

/** Why a line cannot be stored, as an entry of the list of problems. */
function inWords(fault: Fault): string {
  if (isFault(fault, catalogFaults.product_field_missing))
    return `a new product needs ${fault.facts.field}`
  if (isFault(fault, catalogFaults.sku_taken))
    return `another product has the sku ${fault.facts.sku}`
  if (isFault(fault, commonFaults.record_not_found)) return 'product_id: there is no such product'
  return fault.code
}
