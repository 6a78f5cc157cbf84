import { defineFaults } from '#kernel/fault.ts'

export const turnFaults = defineFaults({
  key_missing: 'unauthenticated',
  key_unknown: 'unauthenticated',
  /** The key is another agent's of the same workspace. */
  key_of_other_agent: 'unauthenticated',
  plan_not_paid: 'unauthenticated',
  agent_unknown: 'not_found',
  session_unknown: 'not_found',
  /** As many turns as `SESSION_QUEUE_LIMIT` allows are waiting for this session already. */
  session_queue_full: 'conflict',
  images_not_supported: 'invalid',
  /** The caller hung up, or the service is stopping. */
  turn_aborted: 'unavailable',
  model_not_configured: 'unavailable',
  model_unreachable: 'unavailable',
  model_rejected: 'unavailable',
  model_bad_answer: 'unavailable',
  model_refused_request: 'unavailable',
  model_timeout: 'unavailable',
  model_limited: 'limited',
})
