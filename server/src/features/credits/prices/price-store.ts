import type { Kysely, Selectable } from 'kysely'
import type { Schema } from '#platform/db/schema.ts'
import type { Reader, Tx } from '#platform/db/database.ts'

export type PriceRow = Selectable<Schema['credit_prices']>

export async function insertPrice(tx: Tx, row: PriceRow): Promise<void> {
  await tx.insertInto('credit_prices').values(row).execute()
}

/** Every use needs it, and a turn reads it with its key; there are few prices. */
export const countPrices = (db: Kysely<Schema>) =>
  db.selectFrom('credit_prices').select((e) => e.fn.countAll<number>().as('count'))

interface PricePage {
  readonly limit: number
  /** Pattern, time and id of the last price of the page before. */
  readonly after: readonly [string, number, string] | undefined
}

/**
 * For each pattern the price that is valid at a time, and later ones, in the order in which they were
 * set: of two from the same time, the later one counts.
 *
 * @param page all prices if absent
 */
export function listPricesFrom(reader: Reader, at: number, page?: PricePage): Promise<PriceRow[]> {
  let query = reader
    .selectFrom('credit_prices as price')
    .selectAll('price')
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('credit_prices as newer')
            .select('newer.id')
            .whereRef('newer.pattern', '=', 'price.pattern')
            .where('newer.valid_from', '<=', at)
            .where((later) =>
              later(
                later.refTuple('newer.valid_from', 'newer.id'),
                '>',
                later.refTuple('price.valid_from', 'price.id'),
              ),
            ),
        ),
      ),
    )
    .orderBy('price.pattern')
    .orderBy('price.valid_from')
    .orderBy('price.id')
  if (page === undefined) return query.execute()
  const { limit, after } = page
  if (after !== undefined)
    query = query.where((e) =>
      e(e.refTuple('price.pattern', 'price.valid_from', 'price.id'), '>', e.tuple(...after)),
    )
  return query.limit(limit).execute()
}
