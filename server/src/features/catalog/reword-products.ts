import { sql } from 'kysely'
import { CpuSlice } from '#kernel/cpu-slice.ts'
import type { Database, Tx } from '#platform/db/database.ts'
import { isAmong } from './among.ts'
import { insertTerms, termPairs, type TermsOf } from './bulk-store.ts'
import { termsOfProduct } from './search-terms.ts'

type Engine = Database['engine']

/** How the words of some products of an agent change. */
export interface Rewording {
  readonly agentId: string
  /** By product, also where there are none: the words that it gains. */
  readonly gained: TermsOf
}

/** A step in the unit of the change. */
export async function rewordProducts(tx: Tx, engine: Engine, rewording: Rewording): Promise<void> {
  await addWords(tx, engine, rewording)
  await removeOtherWords(tx, engine, Object.keys(rewording.gained))
}

/** A step before the change: a search checks the words that it finds, so it shows no difference. */
export async function addWords(
  tx: Tx,
  engine: Engine,
  { agentId, gained }: Rewording,
): Promise<void> {
  await insertTerms(tx, engine, agentId, gained)
}

/**
 * A step after the change, or after one that failed: removes the words that the products do not have.
 * Where it removes some, `updated_at` moves by 1 ms, so that an import that was planned meanwhile finds
 * itself overtaken: it may count on these words.
 */
export async function removeStaleWords(
  tx: Tx,
  engine: Engine,
  { gained }: Rewording,
): Promise<void> {
  const reworded = await removeOtherWords(tx, engine, Object.keys(gained))
  if (reworded.length > 0)
    await tx
      .updateTable('products')
      .set((e) => ({ updated_at: e('updated_at', '+', 1) }))
      .where(isAmong(engine, 'id', reworded))
      .execute()
}

/** @returns the products that had others */
async function removeOtherWords(
  tx: Tx,
  engine: Engine,
  ids: readonly string[],
): Promise<readonly string[]> {
  const products = await tx
    .selectFrom('products')
    .select(['id', 'name', 'sku', 'categories_json', 'description'])
    .where(isAmong(engine, 'id', ids))
    .where('deleted_at', 'is', null)
    .execute()
  const words: [string, readonly string[]][] = []
  const slice = new CpuSlice()
  for (const product of products) {
    if (slice.isOver) await slice.next()
    words.push([product.id, termsOfProduct(product)])
  }
  const { rows } = await sql<{ product_id: string }>`
    delete from product_terms
    where ${isAmong(engine, 'product_id', ids)}
      and (product_id, term) not in (
        select product.key, word.value from ${termPairs(engine, Object.fromEntries(words))}
      )
    returning product_id
  `.execute(tx)
  return [...new Set(rows.map(({ product_id }) => product_id))]
}
