/** Why a call failed. */
export type CallFailureCode =
  | 'unknown_action'
  | 'bad_arguments'
  | 'variable_missing'
  | 'secret_not_for_host'
  | 'address_refused'
  | 'unreachable'
  | 'timeout'
  | 'too_large'
  | 'redirected'
  | 'http_error'
  | 'tool_error'
  | 'bad_answer'
  | 'too_many_calls'
  | 'budget_used'
  | 'not_confirmable'
  | 'credits_used_up'
  | 'aborted'
  | 'internal'

/**
 * A call that failed. The message is for the model and for people: it contains no secret and no
 * address that only the server knows, and does not reveal whether a private host exists.
 */
export class CallFailure extends Error {
  override readonly name = 'CallFailure'
  readonly code: CallFailureCode

  constructor(code: CallFailureCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}
