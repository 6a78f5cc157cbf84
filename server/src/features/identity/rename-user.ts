import type { Context } from '#platform/context.ts'
import { recordPersonal } from './record-personal.ts'
import type { Session } from './sessions.ts'
import { updateUser } from './store.ts'

const maxNameLength = 200

/**
 * Changes the name that other members see. Without one, the part of the e-mail before the @ is
 * used.
 */
export async function renameUser(
  ctx: Pick<Context, 'db' | 'clock'>,
  { user, address }: Pick<Session, 'user' | 'address'>,
  typed: string,
): Promise<void> {
  const name = typed.trim().slice(0, maxNameLength) || user.email.replace(/@.*$/, '')
  await ctx.db.write(async (tx) => {
    const now = ctx.clock.now()
    await updateUser(tx, user.id, { name, updated_at: now })
    await recordPersonal(tx, now, user.id, 'rename', { address })
  })
}
