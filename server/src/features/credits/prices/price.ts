import { parseModelId, providerName } from '#kernel/model-id.ts'
import type { Context } from '#platform/context.ts'
import type { Database } from '#platform/db/database.ts'
import { countPrices, listPricesFrom, type PriceRow } from './price-store.ts'

/** What something costs, in micros of a credit. */
export interface Price {
  readonly promptMicrosPerMillion: number
  readonly completionMicrosPerMillion: number
  /** Of prompt tokens that the provider had in its cache; absent for the price of other prompt tokens. */
  readonly cachedMicrosPerMillion?: number | null
  /** For each call, regardless of its size. */
  readonly callMicros: number
}

/** A price that the operator set. It is valid until a later one for the same pattern. */
export interface SetPrice {
  readonly pattern: string
  /** Null removes the pattern's price. */
  readonly price: Price | null
  readonly validFrom: number
}

export const free: Price = {
  promptMicrosPerMillion: 0,
  completionMicrosPerMillion: 0,
  callMicros: 0,
}

/** Replaces the provider in the ids of actions: `action/http`, `action/mcp`. */
const actionPrefix = 'action/'

/**
 * Reads a model id, `provider/*`, `*` for every model that no other pattern matches, or the id of a
 * kind of action.
 *
 * @returns a model id in its only spelling; null when it is none of these
 */
export function readPricePattern(
  config: Pick<Context['config'], 'providers'>,
  text: string,
): string | null {
  const isWide = text === '*' || (text.endsWith('/*') && providerName.test(text.slice(0, -2)))
  return isWide ? text : (parseModelId(config, text)?.id ?? null)
}

/** Prices are per million tokens. No model costs a million credits for that many. */
export const maxPriceMicros = 1_000_000_000_000

/**
 * The price of a model, or of a call of an action, at a time: the model's own price, else its
 * provider's, else that of `*`, which does not cover actions or self-hosted models. Some servers ignore
 * the case of names, so it does not change a price.
 *
 * @param prices with patterns in lower case
 */
export function priceOf(
  prices: readonly SetPrice[],
  model: string,
  at: number,
  isSelfHosted = false,
): Price {
  const wide = `${model.slice(0, model.indexOf('/') + 1)}*`
  const isNarrow = isSelfHosted || model.startsWith(actionPrefix)
  const narrow = model.toLowerCase()
  for (const pattern of isNarrow ? [narrow, wide] : [narrow, wide, '*']) {
    const price = newest(prices, pattern, at)
    if (price !== null) return price
  }
  return free
}

function newest(prices: readonly SetPrice[], pattern: string, at: number): Price | null {
  let found: SetPrice | null = null
  for (const price of prices)
    if (price.pattern === pattern && price.validFrom <= at)
      if (found === null || price.validFrom >= found.validFrom) found = price
  return found?.price ?? null
}

/**
 * What a call of a model costs, rounded up to a whole micro.
 *
 * @param cachedTokens how many of the prompt's tokens the provider had in its cache
 */
export function costOf(
  { promptMicrosPerMillion, completionMicrosPerMillion, callMicros, ...price }: Price,
  promptTokens: number,
  completionTokens: number,
  cachedTokens = 0,
): number {
  const cachedMicrosPerMillion = price.cachedMicrosPerMillion ?? promptMicrosPerMillion
  if (promptMicrosPerMillion + completionMicrosPerMillion + cachedMicrosPerMillion === 0)
    return callMicros
  const cached = Math.min(cachedTokens, promptTokens)
  // Tokens times a price can exceed the safe integers.
  const millionths =
    BigInt(promptTokens - cached) * BigInt(promptMicrosPerMillion) +
    BigInt(cached) * BigInt(cachedMicrosPerMillion) +
    BigInt(completionTokens) * BigInt(completionMicrosPerMillion)
  return Number((millionths + 999_999n) / 1_000_000n) + callMicros
}

interface Book {
  /** The number of prices when it was read. */
  readonly count: number
  readonly prices: Promise<readonly SetPrice[]>
}

/** The key is a database's reader, which all views of that database share. */
const books = new WeakMap<Database['read'], Book>()

/**
 * What a model, or a call of an action (`action/http`, `action/mcp`), costs now.
 *
 * @param count the number of prices, if the caller has just read it
 */
export async function currentPrice(
  { db, clock, config }: Pick<Context, 'db' | 'clock' | 'config'>,
  model: string,
  count?: number,
): Promise<Price> {
  const now = clock.now()
  const provider = config.providers.get(model.slice(0, model.indexOf('/')))
  return priceOf(await pricesAt({ db, config }, now, count), model, now, provider?.isSelfHosted)
}

/** Whether a model has a price. The built-in model costs nothing, which is its price. */
export async function hasPrice(
  ctx: Pick<Context, 'db' | 'clock' | 'config'>,
  model: string,
): Promise<boolean> {
  return model.startsWith('local/') || (await currentPrice(ctx, model)) !== free
}

/**
 * The cost of a use. Must be called before the unit that books the use.
 *
 * @param model the model id of an embedding; `action/http` or `action/mcp` for a call of an action
 * @returns micros of a credit
 */
export async function costOfUse(
  ctx: Pick<Context, 'db' | 'clock' | 'config'>,
  model: string,
  tokens: { readonly prompt: number; readonly completion: number },
): Promise<number> {
  return costOf(await currentPrice(ctx, model), tokens.prompt, tokens.completion)
}

/**
 * Prices are cached. Any process may add prices, but none is ever changed or deleted, so the cache
 * is valid while their count, one short read, stays the same.
 */
async function pricesAt(
  { db, config }: Pick<Context, 'db' | 'config'>,
  now: number,
  counted?: number,
): Promise<readonly SetPrice[]> {
  const count = counted ?? (await db.prepared(countPrices).read({}))[0]?.count ?? 0
  const known = books.get(db.read)
  if (known?.count === count) return await known.prices
  const prices = listPricesFrom(db.read, now).then((rows) =>
    rows.map((row) => comparable(config, row)),
  )
  const book = { count, prices }
  books.set(db.read, book)
  prices.catch(() => {
    if (books.get(db.read) === book) books.delete(db.read)
  })
  return await prices
}

/** A price as `priceOf` reads it. It may have been stored before patterns had one spelling. */
function comparable(config: Pick<Context['config'], 'providers'>, row: PriceRow): SetPrice {
  const pattern = readPricePattern(config, row.pattern) ?? row.pattern
  return priceFromRow({ ...row, pattern: pattern.toLowerCase() })
}

export function priceFromRow(row: PriceRow): SetPrice {
  const { prompt_micros_per_million: prompt, completion_micros_per_million: completion } = row
  const price =
    prompt === null || completion === null
      ? null
      : {
          promptMicrosPerMillion: prompt,
          completionMicrosPerMillion: completion,
          cachedMicrosPerMillion: row.cached_micros_per_million,
          callMicros: row.call_micros ?? 0,
        }
  return { pattern: row.pattern, price, validFrom: row.valid_from }
}
