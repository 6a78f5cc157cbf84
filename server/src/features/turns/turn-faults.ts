import { defineFaults, Fault, withFacts, type FaultCode } from '#kernel/fault.ts'
import { isNamed } from '#kernel/named-error.ts'
import type { ModelFailure, ModelFailureReason, RequestField } from '#platform/models/model.ts'

/**
 * The agent, and `part` of `message`, both counted from 0; `at` is its place in the request, where it is
 * known.
 */
type OfPart = {
  readonly model: string
  readonly message: number
  readonly part: number
  readonly at?: string
}

/** Present when the provider names a time. */
type RetryAfter = { readonly retryAfterSeconds?: number }

export const turnFaults = defineFaults({
  key_missing: 'unauthenticated',
  key_unknown: 'unauthenticated',
  /** The key belongs to another agent of the same workspace. */
  key_of_other_agent: 'unauthenticated',
  plan_not_paid: 'unauthenticated',
  agent_unknown: withFacts<{ model: string }>('not_found'),
  /** `CHAT_AGENT_RATE_LIMIT` turns of this agent began in the last minute. */
  agent_rate_limited: withFacts<{ limit: number; retryAfterSeconds: number }>('limited'),
  /** `TURNS_PER_DAY` turns of the agents of the workspace began in the last day. */
  turns_limited: withFacts<{ limit: number; retryAfterSeconds: number }>('limited'),
  session_unknown: 'not_found',
  /** The session has more messages than its caller knows. */
  session_moved_on: 'conflict',
  /** `SESSION_QUEUE_LIMIT` turns already wait for this session. */
  session_queue_full: withFacts<{ limit: number; retryAfterSeconds: number }>('conflict'),
  images_not_supported: withFacts<OfPart>('invalid'),
  audio_not_supported: withFacts<OfPart>('invalid'),
  /** The model without a key answers from knowledge alone. */
  files_not_supported: withFacts<OfPart>('invalid'),
  /** The agent's `allow_request_overrides` does not list what the field belongs to. */
  field_forbidden: withFacts<{ field: RequestField | 'instructions' }>('invalid'),
  /** The agent's settings bound what a request may set the field to. */
  field_out_of_bounds: withFacts<{ field: RequestField; min: number; max: number }>('invalid'),
  /** The agent's model does not honour the field. */
  field_not_supported: withFacts<{ field: RequestField; model: string }>('invalid'),
  /** The schema of the wanted answer has a part, at this place, that cannot be checked. */
  schema_unchecked: withFacts<{ at: string; problem: string }>('invalid'),
  /** The caller's tool has the name of one of the agent's own. */
  tool_name_taken: withFacts<{ name: string }>('invalid'),
  /** The answer was asked for again and still does not have the form that the request wants. */
  answer_not_in_format: 'unavailable',
  /** The caller disconnected, or the service is stopping. */
  turn_aborted: 'unavailable',
  /** The agent's model id is not one that its provider's grammar allows. */
  model_invalid: withFacts<{ model: string }>('unavailable'),
  model_not_configured: withFacts<{ provider: string }>('unavailable'),
  model_unreachable: withFacts<RetryAfter>('unavailable'),
  model_rejected: withFacts<RetryAfter>('unavailable'),
  model_bad_answer: withFacts<RetryAfter>('unavailable'),
  model_refused_request: withFacts<RetryAfter>('unavailable'),
  model_timeout: withFacts<RetryAfter>('unavailable'),
  model_limited: withFacts<RetryAfter>('limited'),
  /** All slots for model calls are in use, and too many calls of the workspace wait, or for too long. */
  model_slots_busy: withFacts<RetryAfter>('limited'),
})

const codeOf: Record<ModelFailureReason, FaultCode> = {
  unreachable: turnFaults.model_unreachable,
  rejected: turnFaults.model_rejected,
  bad_answer: turnFaults.model_bad_answer,
  timeout: turnFaults.model_timeout,
  limited: turnFaults.model_limited,
  refused_request: turnFaults.model_refused_request,
}

/** Seconds after which a caller may retry when no time is known. */
const usualWaitSeconds = 5

/**
 * The fault that a failed model call is reported as. If the turn was aborted, the error of the closed
 * connection is only its cause. A field that a provider does not accept is the caller's mistake if the caller
 * set it. Any other error is returned unchanged and stays an internal error.
 */
export function asTurnFault(
  error: unknown,
  signal: AbortSignal,
  asked: { readonly model: string; readonly fields: readonly RequestField[] },
): unknown {
  if (signal.aborted) return new Fault(turnFaults.turn_aborted, {}, { cause: error })
  if (isNamed<Error>(error, 'SlotsBusy'))
    return new Fault(
      turnFaults.model_slots_busy,
      { retryAfterSeconds: usualWaitSeconds },
      { cause: error },
    )
  if (!isNamed<ModelFailure>(error, 'ModelFailure')) return error
  const { field } = error
  if (field !== null && asked.fields.includes(field))
    return new Fault(
      turnFaults.field_not_supported,
      { field, model: asked.model },
      { cause: error },
    )
  const usual = error.reason === 'limited' ? usualWaitSeconds : null
  const retry = error.retryAfterSeconds ?? usual
  const facts = retry === null ? {} : { retryAfterSeconds: retry }
  return new Fault(codeOf[error.reason], facts, { cause: error })
}
