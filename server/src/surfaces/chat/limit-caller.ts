import type { ChatCaller } from '#features/conversations/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { requestFaults } from '#surfaces/http/request-faults.ts'

/**
 * Chat has no rate limit unless `CHAT_RATE_LIMIT` sets one: requests a minute per key.
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
