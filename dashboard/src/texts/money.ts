/**
 * Decimals by ISO 4217, if they are not two. `Intl` cannot be used: it follows how prices are written
 * (no decimals for forint or rupiah), differs between runtimes, and payment providers use ISO 4217.
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

/** The number of decimals: 2 for dollars, 0 for yen. */
export function digitsOf(currency: string): number {
  return decimals.get(currency.toLowerCase()) ?? 2
}

/** An amount in minor units as people type it: 1250 is "12.50". */
export function moneyText(minor: number, currency: string): string {
  const digits = digitsOf(currency)
  return (minor / 10 ** digits).toFixed(digits)
}

/** A typed amount in minor units. Null if it is not an amount in this currency. */
export function readMoney(text: string, currency: string): number | null {
  const digits = digitsOf(currency)
  const [, whole, fraction = ''] = /^\s*(\d+)(?:[.,](\d+))?\s*$/.exec(text) ?? []
  if (whole === undefined || fraction.length > digits) return null
  const minor = Number(whole + fraction.padEnd(digits, '0'))
  return Number.isSafeInteger(minor) ? minor : null
}

/** Whether `Intl` can format it: three letters. */
export function isCurrency(text: string): boolean {
  return /^[a-z]{3}$/i.test(text)
}
