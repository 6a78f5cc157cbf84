import { camelKeys } from '#kernel/key-case.ts'
import type { Context } from '#platform/context.ts'
import { normalizeEmail } from './email.ts'
import { findUserRow, findUserRowById, type UserRow } from './store.ts'

export interface User {
  readonly id: string
  readonly email: string
  readonly name: string
  /** False until the person has chosen a password. */
  readonly hasPassword: boolean
  readonly createdAt: number
  readonly updatedAt: number
}

export function userFromRow({ password_hash, ...row }: UserRow): User {
  return { ...camelKeys(row), hasPassword: password_hash !== null }
}

/** The account of an e-mail address, in any letter case. */
export async function findUserByEmail(
  ctx: Pick<Context, 'db'>,
  email: string,
): Promise<User | null> {
  const row = await findUserRow(ctx.db.read, normalizeEmail(email))
  return row === undefined ? null : userFromRow(row)
}

export async function findUser(ctx: Pick<Context, 'db'>, id: string): Promise<User | null> {
  const row = await findUserRowById(ctx.db.read, id)
  return row === undefined ? null : userFromRow(row)
}
