import type { Context } from '#platform/context.ts'
import { findFirstUser, hasUnusedSetupLink } from './store.ts'

/** Whether the instance's first owner has yet to use the set-up link that the start printed. */
export async function awaitsSetup({ db }: Pick<Context, 'db'>): Promise<boolean> {
  const first = await findFirstUser(db.read)
  if (first === undefined || first.password_hash !== null) return false
  return await hasUnusedSetupLink(db.read, first.id)
}
