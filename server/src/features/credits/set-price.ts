import { z } from 'zod'
import { Fault } from '#kernel/fault.ts'
import { newId } from '#kernel/ids.ts'
import { pageOf, readCursor, type Page, type PageRequest } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import { creditFaults } from './credit-faults.ts'
import { requireOperator } from './operator.ts'
import { insertPrice, listPricesFrom } from './prices/price-store.ts'
import { priceFromRow, readPricePattern, type Price, type SetPrice } from './prices/price.ts'

/**
 * Sets the price of a model pattern from now on or from a future time; null removes it. The cost of
 * earlier use stays, because the ledger records amounts.
 *
 * @throws Fault operator_required, price_pattern_invalid
 */
export async function setPrice(
  ctx: Pick<Context, 'db' | 'clock' | 'config'>,
  userId: string,
  input: {
    readonly pattern: string
    readonly price: Price | null
    readonly validFrom?: number | undefined
  },
): Promise<SetPrice> {
  const { price } = input
  const pattern = readPricePattern(ctx.config, input.pattern)
  if (pattern === null)
    throw new Fault(creditFaults.price_pattern_invalid, { pattern: input.pattern })
  return await ctx.db.write(async (tx) => {
    await requireOperator(tx, userId)
    const now = ctx.clock.now()
    const validFrom = Math.max(input.validFrom ?? now, now)
    await insertPrice(tx, {
      id: newId(now),
      pattern,
      prompt_micros_per_million: price?.promptMicrosPerMillion ?? null,
      completion_micros_per_million: price?.completionMicrosPerMillion ?? null,
      cached_micros_per_million: price?.cachedMicrosPerMillion ?? null,
      call_micros: price?.callMicros ?? null,
      valid_from: validFrom,
      created_by: userId,
      created_at: now,
    })
    return { pattern, price, validFrom }
  })
}

const place = z.tuple([z.string(), z.int(), z.string()])

/**
 * A page of the current and future prices, by pattern.
 *
 * @throws Fault operator_required
 */
export async function listPrices(
  ctx: Pick<Context, 'db' | 'clock'>,
  userId: string,
  { limit, cursor }: PageRequest,
): Promise<Page<SetPrice>> {
  const after = readCursor(cursor, place)
  await requireOperator(ctx.db.read, userId)
  const rows = await listPricesFrom(ctx.db.read, ctx.clock.now(), { limit: limit + 1, after })
  return pageOf(rows, limit, {
    key: (row): z.output<typeof place> => [row.pattern, row.valid_from, row.id],
    item: priceFromRow,
  })
}
