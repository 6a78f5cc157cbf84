import { camelKeys } from '#kernel/key-case.ts'
import type { Context } from '#platform/context.ts'
import { normalizeEmail } from './email.ts'
import { findUserRow, findUserRowById, type UserRow } from './store.ts'

/**
 * How an address is known to be the person's. `earlier`: from before Parley recorded how. `none`: not
 * proven, from before it was required.
 */
export const emailProofs = ['mailbox', 'provider', 'operator', 'earlier', 'none'] as const
export type EmailProof = (typeof emailProofs)[number]

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

export function userFromRow(row: UserRow): User {
  const { id, email, name, disabled_at, created_at, updated_at } = row
  return {
    ...camelKeys({ id, email, name, disabled_at, created_at, updated_at }),
    emailProof: emailProofFromRow(row),
    hasPassword: row.password_hash !== null,
  }
}

export function emailProofFromRow(row: Pick<UserRow, 'email_proven' | 'email_proof'>): EmailProof {
  return row.email_proven === 1 ? (row.email_proof ?? 'earlier') : 'none'
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
