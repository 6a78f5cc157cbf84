import { pageById, type Page, type PageRequest } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import { invitationFromRow, type Invitation } from './invitation.ts'
import { listInvitationRows } from './invitation-store.ts'

/**
 * A workspace's open and expired invitations, newest first.
 *
 * @param settled whether to include those that were accepted or revoked
 */
export function listInvitations(
  ctx: Pick<Context, 'db' | 'clock'>,
  workspaceId: string,
  { settled = false, ...page }: PageRequest & { readonly settled?: boolean | undefined },
): Promise<Page<Invitation>> {
  const filter = { workspaceId, settled }
  return pageById(
    page,
    (window) => listInvitationRows(ctx.db.read, filter, window),
    (row) => invitationFromRow(row, ctx.clock.now()),
  )
}
