import { defineFaults, withFacts } from '#kernel/fault.ts'

export const visitorFaults = defineFaults({
  /** No agent has this name, or its page is switched off. */
  page_unknown: 'not_found',
  /** The workspace's plan does not include the chat API. */
  page_not_on_plan: 'forbidden',
  page_paused: 'unavailable',
  /** The visitor has no link, no membership or no sign-in that the page requires. */
  visit_refused: 'forbidden',
  /** The token is forged, expired, for another agent, or from a generation that has ended. */
  visit_ended: 'unauthenticated',
  /** The request comes from a page that may not use the token. */
  origin_refused: 'forbidden',
  /** The host's token is forged, for another agent, or of a form that is not accepted. */
  identity_refused: 'unauthenticated',
  identity_expired: 'expired',
  visitor_limited: withFacts<{ limit: number; retryAfterSeconds: number }>('limited'),
  /** The visitor, or all visitors of the address, have sent the files of the hour. */
  visitor_files_limited: withFacts<{ limit: number; retryAfterSeconds: number }>('limited'),
  /** The agent's visitors have used the messages of the day. */
  daily_budget_used: withFacts<{ limit: number; retryAfterSeconds: number }>('limited'),
  /** The workspace has entered the domains of the day. */
  domains_limited: withFacts<{ limit: number; retryAfterSeconds: number }>('limited'),
  /** The agent receives many messages, so each needs a proof of work. */
  proof_required: withFacts<{ challenge: string; bits: number }>('limited'),
  /** The same with a captcha, which is at the address `check`. */
  captcha_required: withFacts<{ check: string }>('limited'),
  /** The words or the moderation hook of the page refuse it. */
  message_refused: 'forbidden',
  message_empty: 'invalid',
  /** The page takes no files. */
  files_refused: 'forbidden',
  file_count: withFacts<{ limit: number }>('invalid'),
  file_bytes: withFacts<{ limit: number }>('too_large'),
  /** It says that it is an image, and is none that models read. */
  image_unreadable: 'invalid',
  message_too_long: withFacts<{ limit: number }>('invalid'),
})
