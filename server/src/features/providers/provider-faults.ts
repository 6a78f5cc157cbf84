import { defineFaults, withFacts } from '#kernel/fault.ts'

export const providerFaults = defineFaults({
  /** The id is not `<provider>/<model>`, or the provider is unknown. */
  model_unknown: withFacts<{ model: string }>('invalid'),
  /** The provider is part of Parley and has no settings. */
  provider_fixed: withFacts<{ provider: string }>('invalid'),
  /** A custom provider needs an address. */
  provider_address_required: withFacts<{ provider: string }>('invalid'),
  provider_address_invalid: 'invalid',
})
