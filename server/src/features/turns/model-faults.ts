import { Fault, type FaultCode } from '#kernel/fault.ts'
import type { ModelFailure, ModelFailureReason } from '#platform/models/model.ts'
import { turnFaults as faults } from './turn-faults.ts'

const codeOf: Record<ModelFailureReason, FaultCode> = {
  unreachable: faults.model_unreachable,
  rejected: faults.model_rejected,
  bad_answer: faults.model_bad_answer,
  timeout: faults.model_timeout,
  limited: faults.model_limited,
  refused_request: faults.model_refused_request,
}

/** Seconds after which a caller may retry when the provider's limit does not say. */
const usualWaitSeconds = 5

/**
 * What a failed model call is to the caller. An abort of our own wins over whatever the torn
 * connection reported; anything unexpected passes through and stays an internal error.
 */
export function asTurnFault(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return new Fault(faults.turn_aborted, {}, { cause: error })
  if (!isModelFailure(error)) return error
  const usual = error.reason === 'limited' ? usualWaitSeconds : null
  const retry = error.retryAfterSeconds ?? usual
  const facts = retry === null ? {} : { retryAfterSeconds: retry }
  return new Fault(codeOf[error.reason], facts, { cause: error })
}

// Features import only types of platform, so `instanceof` is not available: compare the name.
function isModelFailure(error: unknown): error is ModelFailure {
  return error instanceof Error && error.name === 'ModelFailure'
}
