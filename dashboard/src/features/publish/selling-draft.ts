import type { OutputOf } from '#api/call-operation.ts'
import { dayOf, endOfDay, startOfDay } from '#components/local-day.ts'
import { moneyText, readMoney } from '#texts/money.ts'

type Settings = OutputOf<'get_commerce_settings'>

/** A discount code as it is typed into its form. */
export interface CodeDraft {
  readonly id: string
  /** As it was when the form was opened, with what the form does not show; none for a new one. */
  readonly stored?: Code
  readonly code: string
  readonly name: string
  readonly kind: 'percent' | 'amount'
  /** A percentage, or an amount of money. */
  readonly off: string
  readonly minimum: string
  /** The first and the last day of the reader's calendar on which it is valid; '' for any. */
  readonly firstDay: string
  readonly lastDay: string
}

/** A pickup location as it is typed into its form. */
export interface PickupDraft {
  readonly id: string
  readonly title: string
  readonly street: string
  readonly postalCode: string
  readonly city: string
  readonly country: string
  readonly instructions: string
}

type Code = Settings['discount_codes'][number]
type Pickup = Settings['pickup_locations'][number]

export function codeDraftsOf({ discount_codes: codes, currency }: Settings): CodeDraft[] {
  return codes.map((stored) => codeDraftOf(stored, currency))
}

function codeDraftOf(stored: Code, currency: string): CodeDraft {
  const { code, name, percent_off: percent, amount_off: amount, ...rest } = stored
  return {
    id: code,
    stored,
    code,
    name,
    kind: percent === undefined ? 'amount' : 'percent',
    off: percent === undefined ? moneyText(amount ?? 0, currency) : String(percent),
    minimum: rest.minimum_amount === 0 ? '' : moneyText(rest.minimum_amount, currency),
    ...daysOf(rest),
  }
}

export function pickupDraftsOf({ pickup_locations: places }: Settings): PickupDraft[] {
  return places.map(({ id, title, address, instructions = '' }) => ({
    id,
    title,
    street: address.line_one,
    postalCode: address.postal_code,
    city: address.city,
    country: address.country,
    instructions,
  }))
}

type Validity = Pick<Code, 'starts_at' | 'ends_at'>

function daysOf({ starts_at: start, ends_at: end }: Validity) {
  return {
    firstDay: start === undefined ? '' : dayOf(start),
    lastDay: end === undefined ? '' : dayOf(end, true),
  }
}

/** A day that was not changed keeps its exact time, which the form does not show. */
function validityOf({ firstDay, lastDay }: CodeDraft, present: Partial<Code>): Validity {
  const before = daysOf(present)
  const start = firstDay === before.firstDay ? present.starts_at : firstDay && startOfDay(firstDay)
  const end = lastDay === before.lastDay ? present.ends_at : lastDay && endOfDay(lastDay)
  return {
    ...(start === undefined || start === '' ? {} : { starts_at: start }),
    ...(end === undefined || end === '' ? {} : { ends_at: end }),
  }
}

/** @returns as `wrongPrice` the code whose discount or minimum is not an amount */
export function codesOf(
  drafts: readonly CodeDraft[],
  currency: string,
): { readonly codes: Code[] } | { readonly wrongPrice: string } {
  const codes: Code[] = []
  for (const draft of drafts) {
    const { code, name, kind, off, minimum, stored = {} } = draft
    const { combinable = true }: Partial<Code> = stored
    const amount = kind === 'percent' ? Number(off.replace(',', '.')) : readMoney(off, currency)
    const least = minimum.trim() === '' ? 0 : readMoney(minimum, currency)
    if (amount === null || least === null) return { wrongPrice: code }
    const discount = kind === 'percent' ? { percent_off: amount } : { amount_off: amount }
    const validity = validityOf(draft, stored)
    codes.push({ combinable, code, name, ...discount, minimum_amount: least, ...validity })
  }
  return { codes }
}

/** The locations with what the form does not show, such as a phone number. */
export function pickupsOf(drafts: readonly PickupDraft[], present: readonly Pickup[]): Pickup[] {
  return drafts.map(({ id, title, street, postalCode, city, country, instructions }) => {
    const { instructions: _, ...kept }: Partial<Pickup> = present.find((one) => one.id === id) ?? {}
    return {
      ...kept,
      id,
      title,
      address: {
        name: title,
        state: '',
        ...kept.address,
        line_one: street,
        postal_code: postalCode,
        city,
        country: country.toUpperCase(),
      },
      ...(instructions.trim() === '' ? {} : { instructions }),
    }
  })
}
