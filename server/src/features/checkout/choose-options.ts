import type { ShelfState } from '#features/catalog/index.ts'
import type {
  Choices,
  FulfillmentOption,
  OptionChoice,
  Quote,
  Selection,
} from '#features/pricing/index.ts'
import { Fault } from '#kernel/fault.ts'
import { quoteFrom } from './assess.ts'
import { checkoutFaults as faults } from './checkout-faults.ts'
import type { CheckoutSession } from './checkout-session.ts'

/** The parts of a session that its quote depends on; a new one has no earlier quote. */
type SessionBasis = Pick<CheckoutSession, 'currency'> & { readonly quote: Quote | null }

/**
 * Selects options. The session is quoted once to know which options it offers, and again with the
 * selection.
 *
 * @throws Fault fulfillment_option_unknown, fulfillment_option_ambiguous, fulfillment_options_conflict
 */
export function quoteWithOptions(
  shelf: ShelfState,
  session: SessionBasis,
  choices: Choices,
  wanted: readonly OptionChoice[] | null | undefined,
  now: number,
): { readonly choices: Choices; readonly quote: Quote } {
  const offer = quoteFrom(shelf, choices, session, now)
  if (wanted === undefined || wanted === null) return { choices, quote: offer }
  const chosen = chooseOptions(wanted, offer.options)
  const types = new Set(chosen.map(({ type }) => type))
  const kept = choices.selections.filter(({ type }) => !types.has(type))
  const decided = { ...choices, selections: [...kept, ...chosen] }
  return { choices: decided, quote: quoteFrom(shelf, decided, session, now) }
}

/**
 * The options that a request selects by their ids. All items of one type use one option: another
 * option of the same type is a contradiction, not a second selection.
 */
function chooseOptions(
  wanted: readonly OptionChoice[],
  offered: readonly FulfillmentOption[],
): Selection[] {
  const chosen = new Map<Selection['type'], string>()
  for (const choice of wanted) {
    const { type, id } = optionOf(choice, offered)
    const before = chosen.get(type) ?? id
    const { param } = choice
    if (before !== id)
      throw new Fault(faults.fulfillment_options_conflict, {
        param,
        type,
        first: before,
        another: id,
      })
    chosen.set(type, id)
  }
  return [...chosen].map(([type, optionId]) => ({ type, optionId }))
}

function optionOf(
  { type, optionId, param }: OptionChoice,
  offered: readonly FulfillmentOption[],
): FulfillmentOption {
  const [option, another] = offered.filter(
    (one) => one.id === optionId && (type === undefined || one.type === type),
  )
  const facts = { option: optionId, param }
  if (option === undefined) throw new Fault(faults.fulfillment_option_unknown, facts)
  if (another !== undefined) throw new Fault(faults.fulfillment_option_ambiguous, facts)
  return option
}
