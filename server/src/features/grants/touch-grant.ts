import type { Context } from '#platform/context.ts'
import { markGrantUsed } from './grant-store.ts'

const minute = 60_000

/**
 * Notes that a grant was used, at most once a minute. For outside the answer's path: it takes a
 * write of its own and never rejects, a failure is logged.
 *
 * @param seen when a use was last noted, as just read: most calls have nothing to note
 */
export async function touchGrant(
  ctx: Pick<Context, 'db' | 'log'>,
  grant: { readonly id: string; readonly seen: number | null },
  now: number,
): Promise<void> {
  if (grant.seen !== null && now - grant.seen < minute) return
  try {
    await ctx.db.write((tx) => markGrantUsed(tx, grant.id, now, now - minute))
  } catch (error) {
    ctx.log.warn({ err: error, grantId: grant.id }, 'could not note the use of a grant')
  }
}
