import { defineFaults, withFacts } from '#kernel/fault.ts'

/** Problems that a surface finds in a request before it calls a feature. */
export const requestFaults = defineFaults({
  malformed_json: 'invalid',
  /** JSON that is not read, however valid; `problem` continues the words `The body`. */
  json_refused: withFacts<{ problem: string }>('invalid'),
  wrong_content_type: 'invalid',
  body_too_large: withFacts<{ maxBytes: number }>('too_large'),
  unknown_path: 'not_found',
  method_not_allowed: 'invalid',
  /** `limit` is the number of requests in a window. */
  rate_limited: withFacts<{ limit: number; retryAfterSeconds: number }>('limited'),
  /** Another site caused the browser of a signed-in person to request a change. */
  cross_site: 'forbidden',
  /** Another host of the domain has set a cookie with the name of the session's. */
  foreign_cookie: 'unauthenticated',
  /** The form is from another browser or session, or is too old. */
  form_stale: 'forbidden',
})
