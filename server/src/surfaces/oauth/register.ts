import type { Context as HonoContext } from 'hono'
import { registerClient } from '#features/grants/index.ts'
import type { Context } from '#platform/context.ts'
import type { HttpEnvironment } from '#surfaces/http/environment.ts'
import { limitRegistrations } from './limits.ts'
import { registrationBody } from './registration-body.ts'

/** POST /mcp/oauth/register (RFC 7591 §3): anybody may; a client alone can do nothing. */
export async function register(ctx: Context, c: HonoContext<HttpEnvironment>): Promise<Response> {
  await limitRegistrations(ctx, c)
  const { id, createdAt, ...metadata } = await registerClient(ctx, await registrationBody(c.req))
  return c.json(
    {
      client_id: id,
      client_id_issued_at: Math.floor(createdAt / 1000),
      ...metadata,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      // Whatever method it asked for: there are public clients only (RFC 7591 §3.2.1).
      token_endpoint_auth_method: 'none',
    },
    201,
  )
}
