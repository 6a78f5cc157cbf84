import { defineFaults } from '#kernel/fault.ts'

export const webhookFaults = defineFaults({
  webhook_url_invalid: 'invalid',
})
