import { isCurrency, minorDigits, type Money } from './money.ts'

/** What a symbol can mean; several currencies share some of them. */
const symbols = new Map<string, readonly string[]>([
  ['€', ['eur']],
  ['£', ['gbp']],
  ['us$', ['usd']],
  ['$', ['usd', 'cad', 'aud', 'nzd', 'sgd', 'hkd', 'twd', 'mxn', 'clp', 'cop', 'ars']],
  ['¥', ['jpy', 'cny']],
  ['₹', ['inr']],
  ['₩', ['krw']],
  ['₺', ['try']],
  ['zł', ['pln']],
  ['kč', ['czk']],
  ['kr', ['sek', 'nok', 'dkk', 'isk']],
])

const shape = /^(?<before>[^\d\s]*)\s*(?<number>\d(?:[\d.,'’\s]*\d)?)\s*(?<after>[^\d\s]*)$/u

/**
 * A price as people write it: `19.90 EUR`, `€ 1.299,00`, `1,299`.
 *
 * @param usual the currency of a price that names none, or whose symbol several currencies share
 * @returns what is wrong with the price, if it is not one or can be read in two ways
 */
export function readPrice(text: string, usual: string): Money | { readonly problem: string } {
  const { before = '', number, after = '' } = shape.exec(text.trim())?.groups ?? {}
  if (number === undefined || (before !== '' && after !== ''))
    return { problem: `"${text}" is not a price such as 19.90 EUR` }
  const currency = currencyOf(`${before}${after}`.toLowerCase(), usual)
  if (typeof currency !== 'string') return currency
  const digits = minorDigits(currency)
  const [amount, another] = readingsOf(number, digits)
  if (amount === undefined) return { problem: `"${text}" is not a price such as 19.90 EUR` }
  if (another !== undefined)
    return { problem: `"${text}" can be read in two ways; write all decimals, such as 1299.00` }
  if (Number.isInteger(amount)) return { amountMinor: amount, currency }
  return { problem: `"${text}" has more than ${digits} decimals` }
}

function currencyOf(mark: string, usual: string): string | { readonly problem: string } {
  if (mark === '') return usual
  if (isCurrency(mark)) return mark
  const meant = symbols.get(mark)
  if (meant === undefined) return { problem: `"${mark}" is not a currency such as EUR` }
  const [only, another] = meant
  if (only !== undefined && another === undefined) return only
  if (meant.includes(usual)) return usual
  return { problem: `"${mark}" is the sign of several currencies; write its code, such as USD` }
}

const decimalMarks = ['.', ',']
const groupMarks = ['.', ',', String.raw`['’]`, String.raw`\s`]

/**
 * The different amounts that a number can mean, in minor units; with a fraction if it has too many
 * decimals. Three digits after a mark can be thousands or decimals.
 */
function readingsOf(number: string, digits: number): number[] {
  const mostDecimals = digits === 0 ? 0 : Math.max(3, digits)
  const readings = new Set<number>()
  for (const decimal of decimalMarks)
    for (const group of [null, ...groupMarks].filter((one) => one !== decimal)) {
      const mark = (one: string) => (one.length === 1 ? `[${one}]` : one)
      const whole = group === null ? String.raw`\d+` : `[1-9]\\d{0,2}(?:${mark(group)}\\d{3})+`
      const rest = mostDecimals === 0 ? '()' : `(?:${mark(decimal)}(\\d{1,${mostDecimals}}))?`
      const found = new RegExp(`^(${whole})${rest}$`).exec(number)
      if (found === null) continue
      const [, units = '', decimals = ''] = found
      const minor = `${units.replaceAll(/\D/g, '')}${decimals.slice(0, digits).padEnd(digits, '0')}`
      const beyond = decimals.length > digits ? 0.5 : 0
      readings.add(Number(minor) + beyond)
    }
  return [...readings]
}
