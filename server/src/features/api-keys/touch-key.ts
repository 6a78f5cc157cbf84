import { minuteMs } from '#kernel/durations.ts'
import type { Context } from '#platform/context.ts'
import { lastUse, unknownSender, type Sender } from './sender.ts'
import { markUsed } from './store.ts'

// Only saves writes, so each process can keep its own.
const lastTouched = new Map<string, number>()
const rememberedKeys = 10_000

/**
 * Records the use of a key and by whom, at most once per minute and key. Called after the response: it needs a
 * write of its own. It never rejects; failures are logged.
 *
 * @param now epoch milliseconds
 */
export async function touchKey(
  ctx: Pick<Context, 'db' | 'log'>,
  keyId: string,
  now: number,
  sender: Sender = unknownSender,
): Promise<void> {
  const last = lastTouched.get(keyId)
  if (last !== undefined && now - last < minuteMs) return
  if (lastTouched.size >= rememberedKeys) lastTouched.clear()
  lastTouched.set(keyId, now)
  const use = { ...lastUse(sender, now), id: keyId, unless_since: now - minuteMs }
  try {
    await ctx.db.prepared(markUsed).writeByKey(use)
  } catch (error) {
    ctx.log.warn({ err: error, keyId }, 'could not record the use of a key')
  }
}
