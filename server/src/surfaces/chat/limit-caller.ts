import type { ChatCaller } from '#features/turns/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { requestFaults } from '#surfaces/http/request-faults.ts'

/**
 * Limits the requests of a key to `CHAT_RATE_LIMIT` a minute; without that variable chat has no
 * limit.
 *
 * @throws Fault rate_limited with retryAfterSeconds
 */
export async function limitCaller(
  { config, limits }: Pick<Context, 'config' | 'limits'>,
  caller: ChatCaller,
): Promise<void> {
  const limit = config.chatRateLimit
  if (limit === undefined) return
  const verdict = await limits.consume(`chat:${caller.keyId}`, { limit, windowSeconds: 60 })
  if (verdict.allowed) return
  throw new Fault(requestFaults.rate_limited, { retryAfterSeconds: verdict.retryAfterSeconds })
}
