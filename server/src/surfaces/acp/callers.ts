import { authenticateAcpKey, type AcpCaller } from '#features/api-keys/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { bearerToken } from '#surfaces/http/api-request.ts'
import { senderOf } from '#surfaces/http/client-address.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { limitAddress, requireWithinLimit } from '#surfaces/http/limits.ts'
import { requireVersion } from './dialect.ts'

/** Interface: Limits, ACP public (discovery) routes. */
const publicWindow = { limit: 200, windowSeconds: 60 } as const
/** Interface: Limits, ACP authenticated (checkout) routes. */
const keyWindow = { limit: 60, windowSeconds: 60 } as const

/** @throws Fault rate_limited */
export async function limitVisitor(ctx: Pick<Context, 'limits' | 'config'>, c: Http) {
  await limitAddress(ctx, c, 'acp:public', publicWindow)
}

type CallerContext = Pick<Context, 'db' | 'clock' | 'limits' | 'config' | 'log'>

/**
 * The interface's five checks of the key, then its rate limit, then the protocol version.
 *
 * @throws Fault as authenticateAcpKey does, rate_limited, missing_api_version,
 *   unsupported_api_version
 */
export async function admitCaller(ctx: CallerContext, c: Http): Promise<AcpCaller> {
  const caller = await authenticate(ctx, c)
  await requireWithinLimit(ctx, `acp:key:${caller.keyId}`, keyWindow)
  requireVersion(c)
  return caller
}

/**
 * A caller that fails a check has no valid key, so the failure counts for its address. A valid key
 * is never refused because of other callers behind its address.
 */
async function authenticate(ctx: CallerContext, c: Http): Promise<AcpCaller> {
  const token = bearerToken(c.req.header('authorization'))
  const appId = c.req.param('appId') ?? null
  try {
    return await authenticateAcpKey(ctx, token, appId, senderOf(c, ctx.config))
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const window = { limit: ctx.config.acpFailedCallsLimit, windowSeconds: 60 }
    await limitAddress(ctx, c, 'acp:stranger', window)
    throw error
  }
}
