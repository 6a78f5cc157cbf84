import type { Context } from '#platform/context.ts'
import type { Database } from '#platform/db/database.ts'
import { costOf, priceOf, type Price, type SetPrice } from './price.ts'
import { countPrices, listPricesFrom, type PriceRow } from './price-store.ts'

interface Book {
  /** How many prices had been set when it was read. */
  readonly count: number
  readonly prices: Promise<readonly SetPrice[]>
}

/** By the reader of a database, which all views of that database share. */
const books = new WeakMap<Database['read'], Book>()

/** What a model, or a call of an action (`action/http`, `action/mcp`), costs now. */
export async function currentPrice(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  model: string,
): Promise<Price> {
  const now = clock.now()
  return priceOf(await pricesAt(db, now), model, now)
}

/**
 * What a use costs, to be booked with it: asked for before the unit that books.
 *
 * @param model the model id of an embedding; `action/http` or `action/mcp` for a call of an action
 * @returns micros of a credit
 */
export async function costOfUse(
  ctx: Pick<Context, 'db' | 'clock'>,
  model: string,
  tokens: { readonly prompt: number; readonly completion: number },
): Promise<number> {
  return costOf(await currentPrice(ctx, model), tokens.prompt, tokens.completion)
}

/**
 * Prices are kept and known to be the newest by their number, which one short read tells: they are
 * only ever added, by whichever process.
 */
async function pricesAt(db: Database, now: number): Promise<readonly SetPrice[]> {
  const [row] = await db.prepared(countPrices).read({})
  const count = row?.count ?? 0
  const known = books.get(db.read)
  if (known?.count === count) return await known.prices
  const prices = listPricesFrom(db.read, now).then((rows) => rows.map(priceFromRow))
  const book = { count, prices }
  books.set(db.read, book)
  prices.catch(() => {
    if (books.get(db.read) === book) books.delete(db.read)
  })
  return await prices
}

export function priceFromRow(row: PriceRow): SetPrice {
  const { prompt_micros_per_million: prompt, completion_micros_per_million: completion } = row
  const price =
    prompt === null || completion === null
      ? null
      : {
          promptMicrosPerMillion: prompt,
          completionMicrosPerMillion: completion,
          callMicros: row.call_micros ?? 0,
        }
  return { pattern: row.pattern, price, validFrom: row.valid_from }
}
