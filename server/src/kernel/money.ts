/**
 * Money is an integer of minor units (cents; yen for a currency without them) and a lowercase ISO
 * 4217 code. Fractions of a minor unit are always rounded.
 */
export interface Money {
  readonly amountMinor: number
  readonly currency: string
}

const knownCurrencies: ReadonlySet<string> = new Set(
  Intl.supportedValuesOf('currency').map((code) => code.toLowerCase()),
)

/** True for a lowercase ISO 4217 code that this runtime knows. */
export function isCurrency(code: string): boolean {
  return knownCurrencies.has(code)
}

/**
 * Decimals by ISO 4217, where they are not two. `Intl` is no source for them: it reflects how
 * people write prices (no decimals for forint or rupiah), differs between runtimes, and does not
 * match what payment providers count.
 */
const decimals = new Map<string, number>([
  ...[
    'bif',
    'clp',
    'djf',
    'gnf',
    'isk',
    'jpy',
    'kmf',
    'krw',
    'pyg',
    'rwf',
    'ugx',
    'uyi',
    'vnd',
    'vuv',
    'xaf',
    'xof',
    'xpf',
  ].map((code) => [code, 0] as const),
  ...['bhd', 'iqd', 'jod', 'kwd', 'lyd', 'omr', 'tnd'].map((code) => [code, 3] as const),
  ...['clf', 'uyw'].map((code) => [code, 4] as const),
])

/** How many decimals the minor unit is: 2 for dollars, 0 for yen, 3 for dinars. */
export function minorDigits(currency: string): number {
  return decimals.get(currency) ?? 2
}

/** As people read it, in English: `$12.50`, `¥1,200`. */
export function formatMoney({ amountMinor, currency }: Money): string {
  const digits = minorDigits(currency)
  const fraction = { minimumFractionDigits: digits, maximumFractionDigits: digits }
  const format = new Intl.NumberFormat('en', { style: 'currency', currency, ...fraction })
  return format.format(amountMinor / 10 ** digits)
}

/** Rates are percentages with at most this many decimals, so that they fit into integers. */
export const rateDecimals = 4
const rateScale = 10 ** rateDecimals
const wholeAmount = BigInt(100 * rateScale)

/**
 * A percentage of an amount, rounded half up to whole minor units. Exact: no floating point.
 *
 * @param percent from 0 to 100, with at most four decimals
 */
export function percentOf(amountMinor: number, percent: number): number {
  return roundedQuotient(BigInt(amountMinor) * scaledRate(percent), wholeAmount)
}

/** The tax at `percent` within a gross amount: gross × p / (100 + p), rounded half up. */
export function includedPercent(grossMinor: number, percent: number): number {
  const rate = scaledRate(percent)
  return roundedQuotient(BigInt(grossMinor) * rate, wholeAmount + rate)
}

function scaledRate(percent: number): bigint {
  return BigInt(Math.round(percent * rateScale))
}

function roundedQuotient(numerator: bigint, denominator: bigint): number {
  return Number((2n * numerator + denominator) / (2n * denominator))
}

/**
 * Divides an amount by weights so that the parts add up to it exactly: each part gets the whole
 * units of its share, and those with the largest remainders get one more (Hamilton's method). If
 * all weights are zero, the first part gets everything.
 */
export function allocate(amountMinor: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((total, weight) => total + BigInt(weight), 0n)
  if (sum === 0n) return weights.map((_, index) => (index === 0 ? amountMinor : 0))
  const shares = weights.map((weight) => BigInt(amountMinor) * BigInt(weight))
  const parts = shares.map((share) => Number(share / sum))
  let left = amountMinor - parts.reduce((total, part) => total + part, 0)
  const byRemainder = shares
    .map((share, index) => ({ index, remainder: share % sum }))
    .toSorted((a, b) => Number(b.remainder - a.remainder > 0n) - Number(a.remainder > b.remainder))
  for (const { index } of byRemainder) {
    if (left === 0) break
    parts[index] = (parts[index] ?? 0) + 1
    left -= 1
  }
  return parts
}
