import { camelKeys } from '#kernel/key-case.ts'
import type { Context } from '#platform/context.ts'
import { normalizeEmail } from './email.ts'
import { findUserRow, findUserRowById, type UserRow } from './store.ts'

/** `earlier`: known before Parley recorded how. `none`: not proven, from before it was required. */
type EmailProof = 'mailbox' | 'provider' | 'operator' | 'earlier' | 'none'

export interface User {
  readonly id: string
  readonly email: string
  readonly name: string
  /** False until the person has chosen a password. */
  readonly hasPassword: boolean
  /** How the address is known to be the person's. */
  readonly emailProof: EmailProof
  readonly disabledAt: number | null
  readonly createdAt: number
  readonly updatedAt: number
}

export function userFromRow({ password_hash, email_proven, ...row }: UserRow): User {
  const emailProof = email_proven === 1 ? (row.email_proof ?? 'earlier') : 'none'
  return { ...camelKeys(row), emailProof, hasPassword: password_hash !== null }
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
