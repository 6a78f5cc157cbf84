import { isSecretKnown, noteKnownSecret, type PageSecret } from '#features/api-keys/index.ts'
import { roleIn } from '#features/workspaces/index.ts'
import { atLeast } from '#kernel/actor.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { newId } from '#kernel/ids.ts'
import type { Context } from '#platform/context.ts'

interface Shown extends PageSecret {
  readonly workspaceId: string
  readonly userId: string
}

/**
 * Notes that a person is about to be shown a secret of a chat page, so that an owner learns of it when
 * they leave. Call it before the answer: a person who is removed meanwhile is shown nothing.
 *
 * @throws Fault record_not_found
 */
export async function noteSecretShown(
  ctx: Pick<Context, 'db' | 'clock'>,
  shown: Shown,
): Promise<void> {
  if (await isSecretKnown(ctx.db.read, shown)) return
  await ctx.db.write(async (tx) => {
    const role = await roleIn(tx, shown.userId, shown.workspaceId)
    if (role === null || !atLeast(role, 'editor')) throw new Fault(commonFaults.record_not_found)
    const now = ctx.clock.now()
    await noteKnownSecret(tx, { ...shown, id: newId(now), shownAt: now })
  })
}
