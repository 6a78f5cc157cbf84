import { z } from 'zod'
import { emailProofFromRow, type EmailProof } from '#features/identity/index.ts'
import { roleFromRow } from '#features/workspaces/index.ts'
import type { Role } from '#kernel/actor.ts'
import { pageOf, readCursor, type Page, type PageRequest } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import { listMemberRows, type MemberRow } from './member-store.ts'

/** A person in a workspace. */
export interface Member {
  readonly userId: string
  readonly name: string
  readonly email: string
  readonly emailProof: EmailProof
  /** An operator disabled the person's account. */
  readonly isDisabled: boolean
  readonly role: Role
  readonly joinedAt: number
}

export function memberFromRow(row: MemberRow): Member {
  return {
    userId: row.user_id,
    name: row.name,
    email: row.email,
    emailProof: emailProofFromRow(row),
    isDisabled: row.disabled_at !== null,
    role: roleFromRow(row.role),
    joinedAt: row.created_at,
  }
}

/** A workspace's members, oldest account first. */
export async function listMembers(
  ctx: Pick<Context, 'db'>,
  workspaceId: string,
  { limit, cursor }: PageRequest,
): Promise<Page<Member>> {
  const after = readCursor(cursor, z.string())
  const rows = await listMemberRows(ctx.db.read, workspaceId, { limit: limit + 1, after })
  return pageOf(rows, limit, { key: (row) => row.user_id, item: memberFromRow })
}
