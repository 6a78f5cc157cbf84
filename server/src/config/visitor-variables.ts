import { integer, unlimitedOr, variable } from './variable.ts'

const rateLimit = unlimitedOr(integer(1, 1_000_000_000))

/** Visitors of public chat pages. */
export const visitorVariables = {
  VISITOR_RATE_LIMIT: variable(
    rateLimit,
    'Messages that one visitor of a chat page can send in a minute, or `unlimited`. Further ones get status 429.',
    { fallback: '20' },
  ),
  VISITOR_ADDRESS_RATE_LIMIT: variable(
    rateLimit,
    'Messages that all visitors of one address (IPv6: /64) can send to chat pages in a minute, or `unlimited`. Further ones get status 429.',
    { fallback: '60' },
  ),
  VISITOR_PROOF_AT: variable(
    rateLimit,
    'Messages of all visitors of an agent in a minute after which each further one needs a proof of work, which browsers do in less than a second, or `unlimited`.',
    { fallback: '120' },
  ),
  VISITOR_REQUEST_LIMIT: variable(
    rateLimit,
    'Other requests of one address to chat pages in a minute, such as opening a page or a conversation, or `unlimited`. Further ones get status 429.',
    { fallback: '600' },
  ),
  VISITOR_DAYS: variable(
    integer(1, 400),
    'How many days after the last visit a browser still finds its conversations on a chat page.',
    { fallback: '180' },
  ),
} as const
