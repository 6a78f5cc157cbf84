import type { HonoRequest } from 'hono'
import { registerClient } from '#features/grants/index.ts'
import type { Context } from '#platform/context.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { limitAddress } from '#surfaces/http/limits.ts'
import { isForm, readForm } from '#surfaces/http/read-form.ts'
import { readJson } from '#surfaces/http/api-request.ts'

/** POST /mcp/oauth/register (RFC 7591 §3). Open to all: without a grant a client can do nothing. */
export async function register(ctx: Context, c: Http): Promise<Response> {
  const window = { limit: ctx.config.oauthRegistrationLimit, windowSeconds: 60 * 60 }
  await limitAddress(ctx, c, 'oauth:register', window)
  const { id, createdAt, ...metadata } = await registerClient(ctx, await registrationBody(c.req))
  return c.json(
    {
      client_id: id,
      client_id_issued_at: Math.floor(createdAt / 1000),
      ...metadata,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      // All clients are public, whatever method they requested (RFC 7591 §3.2.1).
      token_endpoint_auth_method: 'none',
    },
    201,
  )
}

const maxRegistrationBytes = 32 * 1024

const lists = new Set(['redirect_uris', 'grant_types', 'response_types'])

/**
 * A registration is JSON (RFC 7591 §3.1). A form is accepted too, with lists as repeated fields.
 *
 * @throws Fault wrong_content_type, body_too_large, malformed_json
 */
async function registrationBody(request: HonoRequest): Promise<unknown> {
  if (!isForm(request.header('content-type'))) return await readJson(request, maxRegistrationBytes)
  const form = await readForm(request, maxRegistrationBytes)
  const names = [...new Set(form.keys())]
  return Object.fromEntries(
    names.map((name) => [name, lists.has(name) ? form.getAll(name) : form.get(name)]),
  )
}
