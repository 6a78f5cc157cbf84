import type { Context } from '#platform/context.ts'

type LimitContext = Pick<Context, 'limits'>

const windowSeconds = 60

/**
 * Whether a refusal is the first one with this key within a minute. Callers record only that one, so
 * that a flood of refused requests is one row.
 */
export async function isFirstRefusal({ limits }: LimitContext, key: string): Promise<boolean> {
  const known = seen.get(limits) ?? new Map<string, number>()
  seen.set(limits, known)
  if ((known.get(key) ?? 0) > Date.now()) return false
  const once = { limit: 1, windowSeconds }
  const { allowed, resetsAt } = await limits.consume(`recorded:${key}`, once)
  if (known.size >= rememberedKeys) known.clear()
  known.set(key, resetsAt)
  return allowed
}

/** Keeps a flood away from the database. In memory, for each process. */
const seen = new WeakMap<LimitContext['limits'], Map<string, number>>()
const rememberedKeys = 10_000

/** Bounds the rows of callers whose refusals have many keys. */
export async function isWithinRefusals(
  { limits }: LimitContext,
  group: string,
  limit: number,
): Promise<boolean> {
  return (await limits.consume(`recorded:${group}`, { limit, windowSeconds })).allowed
}
