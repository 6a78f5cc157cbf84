import { defineFaults } from '#kernel/fault.ts'

export const providerFaults = defineFaults({
  /** Facts: `model`. The id is not `<provider>/<model>`, or its provider is not known here. */
  model_unknown: 'invalid',
  /** Facts: `provider`. It is part of Parley: there is nothing to set. */
  provider_fixed: 'invalid',
  /** Facts: `provider`. A provider of one's own needs an address. */
  provider_address_required: 'invalid',
  /** Facts: `base_url`, without what might be secret in it. */
  provider_address_invalid: 'invalid',
})
