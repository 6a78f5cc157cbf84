import type { Context } from '#platform/context.ts'
import { markUsed } from './store.ts'

const minute = 60_000

// Spares the write only; what is right does not hang on it, so each process may have its own.
const lastTouched = new Map<string, number>()
const rememberedKeys = 10_000

/**
 * Notes that a key was used, at most once a minute for a key. For after the answer: it takes a
 * write of its own and never rejects, a failure is logged.
 *
 * @param now epoch milliseconds
 */
export async function touchKey(
  ctx: Pick<Context, 'db' | 'log'>,
  keyId: string,
  now: number,
): Promise<void> {
  const last = lastTouched.get(keyId)
  if (last !== undefined && now - last < minute) return
  if (lastTouched.size >= rememberedKeys) lastTouched.clear()
  lastTouched.set(keyId, now)
  try {
    await ctx.db.write((tx) => markUsed(tx, keyId, now, now - minute))
  } catch (error) {
    ctx.log.warn({ err: error, keyId }, 'could not note the use of a key')
  }
}
