import { defineFaults } from '#kernel/fault.ts'

/** What can be wrong with a request before any feature sees it. */
export const requestFaults = defineFaults({
  malformed_json: 'invalid',
  wrong_content_type: 'invalid',
  body_too_large: 'too_large',
  unknown_path: 'not_found',
  method_not_allowed: 'invalid',
  rate_limited: 'limited',
  /** Another site asked a signed-in person's browser for a change. */
  cross_site: 'forbidden',
  /** A form from another browser, session or time. */
  form_stale: 'forbidden',
})
