import {
  failedOutcome,
  CallFailure,
  type CallOutcome,
  type CallFailureCode,
} from '#features/tool-calls/index.ts'
import { isNamed } from '#kernel/named-error.ts'
import type { Context } from '#platform/context.ts'
import type { OutboundRefused, OutboundRefusal } from '#platform/outbound-http/outbound-refused.ts'
import type { OutboundResponse } from '#platform/outbound-http/outbound.ts'
import type { ActionDefinition } from './action-definition.ts'
import { buildRequest, type ActionRequest, type CallValues } from './build-request.ts'
import { readArguments } from './read-arguments.ts'
import { readResponse } from './read-response.ts'

/**
 * Makes one call. A failed call is an outcome too.
 *
 * @throws the signal's reason when it aborts, and unexpected errors
 */
export async function runAction(
  ctx: Pick<Context, 'outbound' | 'log'>,
  definition: ActionDefinition,
  values: CallValues,
  signal: AbortSignal,
): Promise<CallOutcome> {
  const { mask } = values.variables
  try {
    const read = readArguments(definition.parameters, values.arguments)
    if (!read.ok) throw new CallFailure('bad_arguments', read.problem)
    const request = buildRequest(definition, { ...values, arguments: read.values })
    const response = await send(ctx, definition, request, signal)
    return await readResponse(definition, response, mask)
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof CallFailure)) throw error
    return failedOutcome(new CallFailure(error.code, mask.text(error.message)))
  }
}

async function send(
  { outbound, log }: Pick<Context, 'outbound' | 'log'>,
  { name, timeout_ms, max_response_bytes }: ActionDefinition,
  { method, url, headers, body, mayRedirect }: ActionRequest,
  signal: AbortSignal,
): Promise<OutboundResponse> {
  try {
    return await outbound.request(url, {
      method,
      headers,
      ...(body === null ? {} : { body }),
      timeoutMs: timeout_ms,
      maxBytes: max_response_bytes,
      // Only GET follows redirects: they may lead to another host, which must not get the data.
      maxRedirects: method === 'GET' ? 5 : 0,
      mayRedirect,
      signal,
    })
  } catch (error) {
    if (signal.aborted || !isNamed<OutboundRefused>(error, 'OutboundRefused')) throw error
    // Only the log has the detail: shown to people, it would reveal our network.
    log.info({ action: name, reason: error.reason, detail: error.message }, 'an action call failed')
    throw new CallFailure(...failureOf(error.reason, timeout_ms, max_response_bytes), {
      cause: error,
    })
  }
}

function failureOf(
  reason: OutboundRefusal,
  timeoutMs: number,
  maxBytes: number,
): [CallFailureCode, string] {
  switch (reason) {
    case 'bad_url':
    case 'scheme':
    case 'credentials_in_url':
    case 'port':
      return ['address_refused', 'The address is not allowed: http(s) on the usual ports only.']
    case 'timeout':
      return ['timeout', `No complete answer came within ${timeoutMs} milliseconds.`]
    case 'too_large':
      return ['too_large', `The answer is longer than ${maxBytes} bytes.`]
    case 'too_many_redirects':
      return ['redirected', 'The server redirects without end.']
    case 'redirect_refused':
      return [
        'redirected',
        'The server redirects to a host that may not receive a secret of this call.',
      ]
    case 'bad_encoding':
      return ['bad_answer', 'The answer cannot be decoded.']
    case 'private_address':
    case 'unreachable':
      return ['unreachable', 'The server could not be reached.']
  }
}
