import type { Context as HonoContext } from 'hono'
import { authenticateBearer, grantFaults, type Bearer } from '#features/grants/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { bearerToken } from '#surfaces/http/api-request.ts'
import type { McpEnvironment } from './environment.ts'
import { mcpFaults } from './mcp-faults.ts'

/**
 * Who calls, by the bearer token of the header: nowhere else is one looked for (RFC 6750 §2.3
 * advises against the query, and logs keep those).
 *
 * @throws Fault token_missing, token_malformed, token_unknown, key_expired
 */
export async function authenticate(ctx: Context, c: HonoContext<McpEnvironment>): Promise<Bearer> {
  const authorization = c.req.header('authorization')
  const token = bearerToken(authorization)
  if (token !== null) return await authenticateBearer(ctx, token)
  const isBearer = /^bearer +\S/i.test(authorization ?? '')
  throw new Fault(isBearer ? grantFaults.token_malformed : mcpFaults.token_missing)
}
