import type { HonoRequest } from 'hono'
import { Fault } from '#kernel/fault.ts'
import { readText } from './api-request.ts'
import { requestFaults } from './request-faults.ts'

/** More than any form of ours holds. */
const maxFormBytes = 64 * 1024

/**
 * Reads a form's fields; any may come several times.
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
