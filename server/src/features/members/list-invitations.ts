import { z } from 'zod'
import { pageOf, readCursor, type Page, type PageRequest } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import { invitationFromRow, type Invitation } from './invitation.ts'
import { listInvitationRows } from './invitation-store.ts'

/**
 * A workspace's open and expired invitations, newest first.
 *
 * @param settled whether to include those that were accepted or revoked
 */
export async function listInvitations(
  ctx: Pick<Context, 'db' | 'clock'>,
  workspaceId: string,
  { limit, cursor, settled = false }: PageRequest & { readonly settled?: boolean | undefined },
): Promise<Page<Invitation>> {
  const before = readCursor(cursor, z.string())
  const filter = { workspaceId, settled }
  const rows = await listInvitationRows(ctx.db.read, filter, { limit: limit + 1, before })
  const now = ctx.clock.now()
  return pageOf(rows, limit, {
    key: (row) => row.id,
    item: (row) => invitationFromRow(row, now),
  })
}
