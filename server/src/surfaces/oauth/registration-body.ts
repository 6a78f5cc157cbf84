import type { HonoRequest } from 'hono'
import { isForm, readForm } from '#surfaces/http/read-form.ts'
import { readJson } from '#surfaces/http/api-request.ts'

const maxRegistrationBytes = 32 * 1024

const lists = new Set(['redirect_uris', 'grant_types', 'response_types'])

/**
 * A registration is JSON (RFC 7591 §3.1); a form is taken too, its lists as repeated fields.
 *
 * @throws Fault wrong_content_type, body_too_large, malformed_json
 */
export async function registrationBody(request: HonoRequest): Promise<unknown> {
  if (!isForm(request.header('content-type'))) return await readJson(request, maxRegistrationBytes)
  const form = await readForm(request, maxRegistrationBytes)
  const names = [...new Set(form.keys())]
  return Object.fromEntries(
    names.map((name) => [name, lists.has(name) ? form.getAll(name) : form.get(name)]),
  )
}
