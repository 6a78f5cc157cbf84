import type { HonoRequest } from 'hono'
import type { Config } from '#config'
import { Fault } from '#kernel/fault.ts'
import type { Http } from './environment.ts'
import { readText } from './api-request.ts'
import { requestFaults } from './request-faults.ts'
import { requireSameOrigin } from './same-origin.ts'

/** More than the largest of our forms. */
const maxFormBytes = 64 * 1024

/**
 * Reads a form's fields; a field may be repeated.
 *
 * @throws Fault wrong_content_type, body_too_large
 */
export async function readForm(
  request: HonoRequest,
  maxBytes: number = maxFormBytes,
): Promise<URLSearchParams> {
  if (!isForm(request.header('content-type'))) throw new Fault(requestFaults.wrong_content_type)
  return new URLSearchParams(await readText(request, maxBytes))
}

export function isForm(contentType: string | undefined): boolean {
  return /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(contentType ?? '')
}

/**
 * Reads a form that one of our own pages sent.
 *
 * @throws Fault cross_site, wrong_content_type, body_too_large
 */
export async function readOwnForm(
  c: Http,
  config: Pick<Config, 'baseUrl'>,
): Promise<URLSearchParams> {
  requireSameOrigin(c, config)
  return await readForm(c.req)
}
