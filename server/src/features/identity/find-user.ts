import type { Context } from '#platform/context.ts'
import { normalizeEmail } from './email.ts'
import { findUserRow, findUserRowById } from './store.ts'
import { userFromRow, type User } from './user.ts'

/** The account of an e-mail address, however its letters are cased. */
export async function findUserByEmail(
  ctx: Pick<Context, 'db'>,
  email: string,
): Promise<User | null> {
  const row = await findUserRow(ctx.db.read, normalizeEmail(email))
  return row === undefined ? null : userFromRow(row)
}

/** The account of an id; null when there is none. */
export async function findUser(ctx: Pick<Context, 'db'>, id: string): Promise<User | null> {
  const row = await findUserRowById(ctx.db.read, id)
  return row === undefined ? null : userFromRow(row)
}
