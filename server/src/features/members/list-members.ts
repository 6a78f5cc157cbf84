import { z } from 'zod'
import { pageOf, readCursor, type Page, type PageRequest } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import { memberFromRow, type Member } from './member.ts'
import { listMemberRows } from './member-store.ts'

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
