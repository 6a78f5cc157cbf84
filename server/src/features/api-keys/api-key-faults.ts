import { defineFaults } from '#kernel/fault.ts'

export const apiKeyFaults = defineFaults({
  key_expiry_invalid: 'invalid',
})
