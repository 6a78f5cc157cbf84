import { z } from 'zod'
import { pageOf, readCursor, type Page, type PageRequest } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import { listMemberWorkspaces } from './store.ts'
import { workspaceFromRow, type Workspace } from './workspace.ts'

/** The workspaces that a person is a member of, oldest first. */
export async function listWorkspaces(
  ctx: Pick<Context, 'db'>,
  userId: string,
  { limit, cursor }: PageRequest,
): Promise<Page<Workspace>> {
  const after = readCursor(cursor, z.string())
  const rows = await listMemberWorkspaces(ctx.db.read, userId, { limit: limit + 1, after })
  return pageOf(rows, limit, { key: (row) => row.id, item: workspaceFromRow })
}
