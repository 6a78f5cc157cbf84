import { roleFromRow } from '#features/workspaces/index.ts'
import type { Role } from '#kernel/actor.ts'
import { pageById, type Page, type PageRequest } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import { listInvitationRows, type InvitationRow } from './invitation-store.ts'

/** The roles that an invitation can give: ownership is transferred, never given by a link. */
export const invitedRoles = ['admin', 'editor', 'viewer'] as const satisfies readonly Role[]
export type InvitedRole = (typeof invitedRoles)[number]

export const invitationLifetimeMs = 7 * 24 * 60 * 60 * 1000

export interface Invitation {
  readonly id: string
  /** The only e-mail that can accept it; null if anyone with the link can. */
  readonly email: string | null
  readonly role: Role
  readonly invitedBy: { readonly id: string; readonly name: string }
  readonly status: InvitationStatus
  readonly mail: 'none' | 'pending' | 'sent' | 'failed'
  readonly mailError: string | null
  readonly createdAt: number
  readonly expiresAt: number
}

export const invitationStatuses = ['open', 'expired', 'accepted', 'revoked'] as const
type InvitationStatus = (typeof invitationStatuses)[number]

/** An invitation that was just created or sent again. */
export interface IssuedInvitation extends Invitation {
  /** Shown once; null if it was mailed, because only the invited person may have it. */
  readonly link: string | null
}

export function invitationFromRow(row: InvitationRow, now: number): Invitation {
  return {
    id: row.id,
    email: row.email,
    role: roleFromRow(row.role),
    invitedBy: { id: row.invited_by, name: row.inviter_name },
    status: statusOf(row, now),
    mail: row.mail_status,
    mailError: row.mail_error,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }
}

function statusOf(row: InvitationRow, now: number): InvitationStatus {
  if (row.accepted_at !== null) return 'accepted'
  if (row.revoked_at !== null) return 'revoked'
  return row.expires_at <= now ? 'expired' : 'open'
}

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
