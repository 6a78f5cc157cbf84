/**
 * Decimals by ISO 4217, where they are not two. Not what `Intl` says: that is how people write prices
 * (no decimals of forint or rupiah), differs between runtimes, and is not what a payment provider counts.
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

/** How many digits stand after the point: 2 of dollars, 0 of yen. */
export function digitsOf(currency: string): number {
  return decimals.get(currency.toLowerCase()) ?? 2
}

/** An amount as people type it, from minor units: 1250 is "12.50". */
export function moneyText(minor: number, currency: string): string {
  const digits = digitsOf(currency)
  return (minor / 10 ** digits).toFixed(digits)
}

/** What a person typed, in minor units; null when it is no amount of this currency. */
export function readMoney(text: string, currency: string): number | null {
  const digits = digitsOf(currency)
  const [, whole, fraction = ''] = /^\s*(\d+)(?:[.,](\d+))?\s*$/.exec(text) ?? []
  if (whole === undefined || fraction.length > digits) return null
  const minor = Number(whole + fraction.padEnd(digits, '0'))
  return Number.isSafeInteger(minor) ? minor : null
}

/** Whether `Intl` and so the pages know how to write it: three letters. */
export function isCurrency(text: string): boolean {
  return /^[a-z]{3}$/i.test(text)
}
