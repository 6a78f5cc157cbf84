import type { Kysely, Selectable } from 'kysely'
import type { Schema } from '#platform/db/schema.ts'
import type { Reader, Tx } from '#platform/db/database.ts'

export type PriceRow = Selectable<Schema['credit_prices']>

export async function insertPrice(tx: Tx, row: PriceRow): Promise<void> {
  await tx.insertInto('credit_prices').values(row).execute()
}

/** For every turn: prices are few. */
export const countPrices = (db: Kysely<Schema>) =>
  db.selectFrom('credit_prices').select((e) => e.fn.countAll<number>().as('count'))

/**
 * Of each pattern the price that is valid at a moment, and those that follow it; older ones are
 * history. In the order in which they were set: of two from one moment, the later one counts.
 */
export function listPricesFrom(reader: Reader, at: number): Promise<PriceRow[]> {
  return pricesFrom(reader, at).execute()
}

/** Pattern, moment, id: the place of a price in the list. */
export type PricePlace = readonly [string, number, string]

/** A page of the same. */
export function listPricePage(
  reader: Reader,
  at: number,
  { limit, after }: { readonly limit: number; readonly after: PricePlace | undefined },
): Promise<PriceRow[]> {
  const query = pricesFrom(reader, at).limit(limit)
  if (after === undefined) return query.execute()
  return query
    .where((e) =>
      e(e.refTuple('price.pattern', 'price.valid_from', 'price.id'), '>', e.tuple(...after)),
    )
    .execute()
}

function pricesFrom(reader: Reader, at: number) {
  return reader
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
}
