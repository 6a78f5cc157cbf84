import { defineFaults, withFacts } from '#kernel/fault.ts'

/** Present where the provider names a time. */
type RetryAfter = { readonly retryAfterSeconds?: number }

export const turnFaults = defineFaults({
  key_missing: 'unauthenticated',
  key_unknown: 'unauthenticated',
  /** The key belongs to another agent of the same workspace. */
  key_of_other_agent: 'unauthenticated',
  plan_not_paid: 'unauthenticated',
  agent_unknown: withFacts<{ model: string }>('not_found'),
  session_unknown: 'not_found',
  /** `SESSION_QUEUE_LIMIT` turns already wait for this session. */
  session_queue_full: withFacts<{ limit: number; retryAfterSeconds: number }>('conflict'),
  images_not_supported: withFacts<{ model: string }>('invalid'),
  /** The caller disconnected, or the service is stopping. */
  turn_aborted: 'unavailable',
  model_not_configured: withFacts<{ provider: string }>('unavailable'),
  model_unreachable: withFacts<RetryAfter>('unavailable'),
  model_rejected: withFacts<RetryAfter>('unavailable'),
  model_bad_answer: withFacts<RetryAfter>('unavailable'),
  model_refused_request: withFacts<RetryAfter>('unavailable'),
  model_timeout: withFacts<RetryAfter>('unavailable'),
  model_limited: withFacts<RetryAfter>('limited'),
})
