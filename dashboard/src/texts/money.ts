/** How many digits stand after the point: 2 of dollars, 0 of yen. */
function digitsOf(currency: string): number {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency })
  return format.resolvedOptions().maximumFractionDigits ?? 2
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
