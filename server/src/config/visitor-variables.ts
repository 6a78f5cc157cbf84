import { isIP } from 'node:net'
import { z } from 'zod'
import { httpUrl, integer, list, optionalText, unlimitedOr, variable } from './variable.ts'

const rateLimit = unlimitedOr(integer(1, 1_000_000_000))

/** Addresses with an optional port: `192.0.2.1`, `192.0.2.1:5353`, `[2001:db8::1]:5353`. */
const dnsServers = list.refine(
  (items) =>
    items.every((item) => {
      const [, bracketed, plain = item] = /^(?:\[(.+)\]|([^:]+)):\d{1,5}$/.exec(item) ?? []
      return isIP(bracketed ?? plain) !== 0
    }),
  'must be addresses, with a port if it is not 53, separated by commas',
)

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
  VISITOR_ADDRESS_SHARE: variable(
    integer(1, 100),
    "Percentage of an agent's daily messages that the visitors of one address (IPv6: /64) can use, and each person who is identified or has signed in: at least 20 messages; 100 for no such limit. Addresses of private networks have none.",
    { fallback: '10' },
  ),
  VISITOR_PROOF_AT: variable(
    rateLimit,
    'Messages of all visitors of an agent in a minute after which each further one needs a proof of work, which browsers do in less than a second, or `unlimited`.',
    { fallback: '120' },
  ),
  VISITOR_CHALLENGE: variable(
    z.enum(['proof', 'turnstile', 'hcaptcha'], 'must be proof, turnstile or hcaptcha'),
    'What a message needs after `VISITOR_PROOF_AT`: a proof of work, which involves no third party, or a captcha of Cloudflare Turnstile or hCaptcha. Browsers of visitors then contact that provider.',
    { fallback: 'proof' },
  ),
  VISITOR_CHALLENGE_SITE_KEY: variable(
    optionalText,
    'Site key of the captcha; required with `VISITOR_CHALLENGE=turnstile` and `hcaptcha`.',
  ),
  VISITOR_CHALLENGE_SECRET: variable(
    optionalText,
    'Secret key of the captcha; required with `VISITOR_CHALLENGE=turnstile` and `hcaptcha`.',
    { secret: true },
  ),
  VISITOR_CHALLENGE_API_BASE: variable(
    httpUrl.optional(),
    'Another address for the captcha provider, below which Parley asks `/siteverify` about tokens.',
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
  VISITOR_FILES: variable(
    integer(1, 20),
    'Images and files that a visitor can attach to one message, if the page takes them.',
    { fallback: '3' },
  ),
  VISITOR_FILE_BYTES: variable(
    integer(1024, 100_000_000),
    'Maximum total size of the files of one visitor message, in bytes. Base64 makes them a third larger, and `MAX_BODY_BYTES` limits the result.',
    { fallback: '2000000' },
  ),
  VISITOR_FILE_LIMIT: variable(
    rateLimit,
    'Files that one visitor can attach in an hour, or `unlimited`. All visitors of one address together can attach three times as many. Further ones get status 429.',
    { fallback: '20' },
  ),
  MODERATION_TIMEOUT_MS: variable(
    integer(1, 60_000),
    'How long Parley waits for the moderation hook of a chat page, in milliseconds. After that, the page decides: it refuses the message or answer, or lets it pass.',
    { fallback: '5000' },
  ),
  CHAT_DOMAIN_GRACE_HOURS: variable(
    integer(0, 8760),
    'How many hours a domain of a chat page is still served after the DNS record that proves it is gone.',
    { fallback: '72' },
  ),
  CHAT_DOMAINS_PER_DAY: variable(
    rateLimit,
    'Domains that a workspace can enter for its chat pages in a day (UTC), or `unlimited`. Each new one may need a certificate. Further ones get status 429.',
    { fallback: '10' },
  ),
  SLUG_HOLD_DAYS: variable(
    integer(0, 36_500),
    'How many days nobody else can take the name of a chat page after its workspace has given it up.',
    { fallback: '30' },
  ),
  SLUGS_HELD: variable(
    integer(1, 100_000),
    'Names of chat pages that are held for a workspace after it has given them up. A further one frees the oldest.',
    { fallback: '20' },
  ),
  DNS_SERVERS: variable(
    dnsServers,
    'DNS servers that are asked for the records that prove domains of chat pages: addresses, with a port if it is not 53, comma-separated. By default those of the machine.',
    { fallback: '' },
  ),
} as const

/** A captcha needs both of its keys. */
export function visitorProblems(values: Readonly<Record<string, unknown>>): readonly string[] {
  const { visitorChallenge: chosen } = values
  if (chosen === undefined || chosen === 'proof') return []
  const keys = [
    ['VISITOR_CHALLENGE_SITE_KEY', values.visitorChallengeSiteKey],
    ['VISITOR_CHALLENGE_SECRET', values.visitorChallengeSecret],
  ] as const
  return keys
    .filter(([, value]) => value === undefined)
    .map(([name]) => `${name} is required with VISITOR_CHALLENGE=${String(chosen)}`)
}
