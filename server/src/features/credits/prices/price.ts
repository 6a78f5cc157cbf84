/** What something costs, in micros of a credit. */
export interface Price {
  readonly promptMicrosPerMillion: number
  readonly completionMicrosPerMillion: number
  /** For each call, whatever its size. */
  readonly callMicros: number
}

/** A price as the operator set it: from a moment on, until a later one of the same pattern. */
export interface SetPrice {
  readonly pattern: string
  /** Null takes the pattern back. */
  readonly price: Price | null
  readonly validFrom: number
}

export const free: Price = {
  promptMicrosPerMillion: 0,
  completionMicrosPerMillion: 0,
  callMicros: 0,
}

/** What runs on one's own machine costs nothing, until the operator says otherwise. */
const builtIn: readonly SetPrice[] = ['local/*', 'ollama/*'].map((pattern) => ({
  pattern,
  price: free,
  validFrom: 0,
}))

/** The prices of actions stand under this in the place of a provider: `action/http`, `action/mcp`. */
const actionPrefix = 'action/'

/** A model id, `provider/*`, or `*` for every model that nothing else names. */
export const pricePattern = /^(?:\*|[a-z0-9-]{1,40}\/(?:\*|[^\s*]{1,160}))$/

/** Who sells tokens sells them by the million; a million credits for them is beyond any model. */
export const maxPriceMicros = 1_000_000_000_000

/**
 * The price of a model, or of a call of an action, at a moment: that of the model itself, else of
 * its provider, else of `*`. Actions are no models: `*` is not for them.
 */
export function priceOf(prices: readonly SetPrice[], model: string, at: number): Price {
  const wide = `${model.slice(0, model.indexOf('/') + 1)}*`
  const patterns = model.startsWith(actionPrefix) ? [model, wide] : [model, wide, '*']
  for (const pattern of patterns) {
    const price = newest(prices, pattern, at) ?? newest(builtIn, pattern, at)
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

/** What a call of a model costs, rounded up to a whole micro. */
export function costOf(
  { promptMicrosPerMillion, completionMicrosPerMillion, callMicros }: Price,
  promptTokens: number,
  completionTokens: number,
): number {
  if (promptMicrosPerMillion === 0 && completionMicrosPerMillion === 0) return callMicros
  // Tokens times a price can be more than a double holds exactly.
  const millionths =
    BigInt(promptTokens) * BigInt(promptMicrosPerMillion) +
    BigInt(completionTokens) * BigInt(completionMicrosPerMillion)
  return Number((millionths + 999_999n) / 1_000_000n) + callMicros
}
