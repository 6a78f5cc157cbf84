import { pageById, type Page, type PageRequest } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import { listMemberWorkspaces } from './store.ts'
import { workspaceFromRow, type Workspace } from './workspace.ts'

/** The workspaces that a person is a member of, oldest first. */
export function listWorkspaces(
  ctx: Pick<Context, 'db'>,
  userId: string,
  page: PageRequest,
): Promise<Page<Workspace>> {
  return pageById(
    page,
    (window) => listMemberWorkspaces(ctx.db.read, userId, window),
    workspaceFromRow,
  )
}
