import { createUser, hashPassword } from '#features/identity/index.ts'
import type { Context } from '#platform/context.ts'

/** A person with a password that is not checked: the check starts a process. */
export async function createAccount(
  ctx: Pick<Context, 'db' | 'clock' | 'config' | 'workers'>,
  { password, ...account }: { email: string; name: string; password: string },
) {
  const password_hash = await hashPassword(password)
  const made = await createUser(ctx, account)
  const { id } = made.user
  await ctx.db.write((tx) =>
    tx.updateTable('users').set({ password_hash }).where('id', '=', id).execute(),
  )
  return { ...made, user: { ...made.user, hasPassword: true } }
}
