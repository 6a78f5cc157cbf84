import { requireAgent } from '#features/agents/index.ts'
import { requireRecordRoom } from '#features/quotas/index.ts'
import { CpuSlice } from '#kernel/cpu-slice.ts'
import { commonFaults, Fault, isFault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { showProducts } from './bulk-store.ts'
import { catalogFaults } from './catalog-faults.ts'
import {
  hidden,
  inGroups,
  removeHidden,
  statementsOfUnit,
  storeHidden,
  type HiddenParts,
} from './hidden-products.ts'
import { findNamedVersions } from './named-products.ts'
import { namesIn, openPlan, type ProductPlan } from './product-plan.ts'
import {
  describeColumns,
  invalid,
  maxProblemsShown,
  problemsOf,
  readProducts,
  type CsvReading,
  type ReadCsv,
  type ReadProduct,
  type RejectedLine,
} from './read-products-csv.ts'
import { writeRejected } from './rejected-csv.ts'
import { addWords, removeStaleWords, type Rewording } from './reword-products.ts'
import { rewordings, storeChanges, storePlan } from './store-plan.ts'
import { shopSettings } from './shop.ts'
import type { Shelf } from './store.ts'

type Ports = Pick<Context, 'db' | 'clock' | 'config'>

interface Counts {
  readonly created: number
  readonly updated: number
}

export interface ImportSummary extends Counts {
  /** The lines that were not imported. */
  readonly rejected: number
  /** These lines as a CSV text with a column for what is wrong; null if there are none. */
  readonly rejectedCsv: string | null
}

export interface ProductImport extends Omit<CsvReading, 'currency'> {
  /** UUID or `app_name_id`. */
  readonly appId: string
  /** Imports the valid lines even if others are not. */
  readonly partial?: boolean | undefined
}

/** How often other changes of the same products may overtake an import. */
const maxOvertaken = 3
/** So few lines are then imported by one unit, which nothing overtakes, and which is short. */
const linesOfOneUnit = 20

/**
 * Creates or updates a product for each line of a CSV text: either all of them or none, or with
 * `partial` each valid one. New products are stored hidden, in units of a few milliseconds; the
 * last unit shows them and changes the others. A process that dies before it leaves deleted
 * products, which are pruned like others. New words of products that exist are stored before that
 * unit and former ones removed after it, unless they are few.
 *
 * @throws Fault record_not_found, limit_reached, products_changed if other changes overtook it every time,
 *   csv_invalid with what is wrong in which line
 */
export async function importProducts(
  ctx: Ports,
  workspaceId: string,
  input: ProductImport,
): Promise<ImportSummary> {
  const { shelf, read } = await readFor(ctx, workspaceId, input)
  const planned = await planLines(ctx.db.read, ctx, shelf, read)
  const { rejected } = planned
  if (rejected.length > 0 && input.partial !== true) throw invalid(problemsOf(rejected))
  const counts = planned.lines.length === 0 ? noCounts : await importLines(ctx, shelf, planned)
  const rejectedCsv = rejected.length === 0 ? null : writeRejected(read.header, rejected)
  return { ...counts, rejected: rejected.length, rejectedCsv }
}

export interface ImportPreview extends Counts {
  readonly columns: ReturnType<typeof describeColumns>
  readonly rejected: number
  /** The first products, as they would be stored. */
  readonly products: readonly ReadProduct['product'][]
  /** What is wrong in which line; the first ones. */
  readonly problems: readonly string[]
}

/** The most products of a preview. */
const previewed = 5

/**
 * What an import would do. Without `columns`, a column holds the field that its header suggests.
 *
 * @throws Fault record_not_found, csv_invalid if the text as a whole cannot be read
 */
export async function previewImport(
  ctx: Ports,
  workspaceId: string,
  input: ProductImport,
): Promise<ImportPreview> {
  const columns = describeColumns(input.csv)
  const guessed = columns.flatMap(({ header, field }) => (field === null ? [] : [[header, field]]))
  const mapping = { columns: input.columns ?? Object.fromEntries(guessed) }
  const { shelf, read } = await readFor(ctx, workspaceId, { ...input, ...mapping })
  const { lines, counts, rejected } = await planLines(ctx.db.read, ctx, shelf, read)
  const products = lines.slice(0, previewed).map(({ product }) => product)
  const problems = [...problemsOf(rejected)].slice(0, maxProblemsShown)
  return { columns, ...counts, rejected: rejected.length, products, problems }
}

async function readFor(ctx: Ports, workspaceId: string, { appId, ...reading }: ProductImport) {
  const { id: agentId } = await requireAgent(ctx.db.read, workspaceId, appId)
  const shelf = { workspaceId, agentId }
  const { currency } = await shopSettings(ctx.db.read, shelf)
  return { shelf, read: await readProducts({ ...reading, currency }) }
}

/** Imports the valid lines, in short units unless other changes overtake them. */
async function importLines(ctx: Ports, shelf: Shelf, planned: PlannedLines): Promise<Counts> {
  const { lines } = planned
  if (await importHidden(ctx, planned)) return planned.counts
  for (let overtaken = 1; overtaken < maxOvertaken; overtaken += 1) {
    const again = await planAll(ctx.db.read, ctx, shelf, lines)
    if (await importHidden(ctx, again)) return again.counts
  }
  if (lines.length > linesOfOneUnit) throw new Fault(catalogFaults.products_changed)
  return await ctx.db.write(async (tx) => {
    await requireAgent(tx, shelf.workspaceId, shelf.agentId)
    const { plan, counts } = await planAll(tx, ctx, shelf, lines)
    await storePlan(tx, ctx.db, plan)
    if (counts.created > 0) await requireRecordRoom(tx, ctx, 'products_per_agent', shelf.agentId, 0)
    return counts
  })
}

/** @returns false if another change overtook it: then nothing is stored */
async function importHidden(ctx: Ports, { plan, counts, named }: PlannedLines): Promise<boolean> {
  const { shelf, created } = plan
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
      await requireUnchanged(tx, ctx, plan, named)
      await publish(tx, ctx, plan, early.length > 0 ? [] : words)
      // The audit log has the result of this unit.
      return counts
    })
  } catch (error) {
    await removeHidden(ctx, stored)
    await inUnits(ctx, early, removeStaleWords)
    if (error === overtook) return false
    throw error
  }
  await inUnits(ctx, early, removeStaleWords)
  return true
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

/** A step: the products with these names are those that the plan was made for. */
async function requireUnchanged(
  tx: Tx,
  { db }: Ports,
  { shelf, stored }: ProductPlan,
  named: readonly ReadProduct['product'][],
): Promise<void> {
  await requireAgent(tx, shelf.workspaceId, shelf.agentId)
  const versions = await findNamedVersions(tx, db.engine, shelf, namesIn(named))
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

const noCounts: Counts = { created: 0, updated: 0 }

interface PlannedLines {
  readonly plan: ProductPlan
  readonly counts: Counts
  readonly lines: readonly ReadProduct[]
  /** Of all lines that the plan was opened for, also those that it rejected. */
  readonly named: readonly ReadProduct['product'][]
  /** In the order of the text. */
  readonly rejected: readonly RejectedLine[]
}

async function planLines(
  reader: Parameters<typeof openPlan>[0],
  { db, clock }: Ports,
  shelf: Shelf,
  { products, rejected }: Pick<ReadCsv, 'products' | 'rejected'>,
): Promise<PlannedLines> {
  const named = products.map(({ product }) => product)
  const plan = await openPlan(reader, db.engine, clock.now(), shelf, named)
  const slice = new CpuSlice()
  const [lines, unfit]: [ReadProduct[], RejectedLine[]] = [[], [...rejected]]
  let created = 0
  for (const line of products) {
    if (slice.isOver) await slice.next()
    try {
      if (plan.put(line.product).isNew) created += 1
      lines.push(line)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      unfit.push({ ...line, problems: [inWords(error)] })
    }
  }
  return {
    plan,
    counts: { created, updated: lines.length - created },
    lines,
    named,
    rejected: unfit.toSorted((one, other) => one.line - other.line),
  }
}

/** @throws Fault csv_invalid for lines that cannot be stored any more */
async function planAll(
  reader: Parameters<typeof openPlan>[0],
  ctx: Ports,
  shelf: Shelf,
  products: readonly ReadProduct[],
): Promise<PlannedLines> {
  const planned = await planLines(reader, ctx, shelf, { products, rejected: [] })
  if (planned.rejected.length > 0) throw invalid(problemsOf(planned.rejected))
  return planned
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
