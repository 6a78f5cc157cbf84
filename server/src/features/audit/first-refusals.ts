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

interface Refusal {
  readonly action: string
  readonly target: string | null
  readonly detail: Readonly<Record<string, unknown>>
}

interface Bound {
  readonly group: string
  /** Rows in a minute. */
  readonly limit: number
}

/**
 * Bounds the rows of callers whose refusals have many keys.
 *
 * @returns what to record: the refusal, up to `limit` of them in a minute of each group; then, once for a
 *   group, that further ones of this minute are not recorded; after that, null
 */
export async function withinBounds(
  { limits }: LimitContext,
  bounds: readonly Bound[],
  refusal: Refusal,
): Promise<Refusal | null> {
  let recorded = refusal
  for (const { group, limit } of bounds) {
    const window = { limit: limit + 1, windowSeconds }
    const { allowed, remaining, resetsAt } = await limits.consume(`recorded:${group}`, window)
    if (!allowed) return null
    if (remaining > 0) continue
    const detail = { recorded: limit, none_recorded_until: new Date(resetsAt).toISOString() }
    recorded = { action: 'omit_refusals', target: null, detail }
  }
  return recorded
}

/** Five credentials can reach their own bound before those of the person's others are left out. */
const refusalsOfPerson = 500

/** Bounds what one person adds to the log of a workspace, however many keys they use. */
export function boundOfPerson(userId: string, workspaceId: string): Bound {
  return { group: `person:${userId}:${workspaceId}`, limit: refusalsOfPerson }
}
