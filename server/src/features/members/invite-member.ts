import { requireRecordRoom } from '#features/quotas/index.ts'
import { requireEmail } from '#features/identity/index.ts'
import {
  countOpenInvitations,
  findInvitation,
  findOpenInvitationFor,
  insertInvitation,
  invitationFromRow,
  invitationLifetimeMs,
  updateInvitation,
  type Invitation,
  type InvitedRole,
  type IssuedInvitation,
} from '#features/invitations/index.ts'
import { requireRoom, roleIn } from '#features/workspaces/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { newId } from '#kernel/ids.ts'
import { mintToken, type MintedToken } from '#kernel/tokens.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { countingInvitation, countingNew } from './invitation-limit.ts'
import { linkOf, mailInvitation, sealedMail } from './invitation-mail.ts'
import { memberFaults } from './member-faults.ts'
import { countMembers, findMemberByEmail } from './member-store.ts'
import { requireMayGive, requireRoleNow, type MemberActor } from './role-rules.ts'

type InviteContext = Pick<Context, 'db' | 'clock' | 'config' | 'limits' | 'vault' | 'jobs' | 'mail'>

interface NewInvitation {
  readonly role: InvitedRole
  /** Only an account with this e-mail can accept it; without it, anyone with the link can. */
  readonly email?: string | undefined
  /** False returns the link to the inviter even if mail could be sent. */
  readonly byMail?: boolean | undefined
}

/**
 * Invites a person: by mail if the service can send mail and has the address, else by a link that is
 * shown once. The link works once and for seven days.
 *
 * @throws Fault email_invalid, record_not_found, permission_denied, role_not_yours_to_give,
 *   already_member, already_invited, invitations_limited, workspace_invitations_limited,
 *   plan_limit_reached
 */
export async function inviteMember(
  ctx: InviteContext,
  actor: MemberActor,
  input: NewInvitation,
): Promise<IssuedInvitation> {
  const email = input.email === undefined ? null : requireEmail(input.email)
  const minted = mintToken('')
  const byMail = isMailed(ctx, email, input)
  const unit = async (tx: Tx) => {
    const now = ctx.clock.now()
    requireMayGive(await requireRoleNow(tx, actor, 'admin'), input.role)
    if (email !== null) await requireNewcomer(tx, actor.workspaceId, email, now)
    await requirePlace(tx, ctx, actor.workspaceId)
    const id = newId(now)
    await insertInvitation(tx, {
      id,
      workspace_id: actor.workspaceId,
      email,
      role: input.role,
      token_hash: minted.hash,
      invited_by: actor.userId,
      round: 1,
      mail_status: 'none',
      mail_sealed: null,
      mail_error: null,
      created_at: now,
      updated_at: now,
      expires_at: now + invitationLifetimeMs,
      accepted_at: null,
      accepted_by: null,
      revoked_at: null,
    })
    return await issue(tx, ctx, { id, workspaceId: actor.workspaceId }, minted, byMail)
  }
  const { workspaceId } = actor
  return await countingNew(ctx, workspaceId, () =>
    countingInvitation(ctx, workspaceId, byMail ? email : null, () => ctx.db.write(unit)),
  )
}

/**
 * Sends an invitation again, with a new link for another seven days; the old link ends. An expired
 * invitation has to pass the checks of a new one.
 *
 * @throws Fault record_not_found, permission_denied, role_not_yours_to_give, invitation_invalid,
 *   already_member, already_invited, invitations_limited, plan_limit_reached
 */
export async function resendInvitation(
  ctx: InviteContext,
  actor: MemberActor,
  input: { readonly id: string; readonly byMail?: boolean | undefined },
): Promise<IssuedInvitation> {
  const minted = mintToken('')
  // The address of an invitation never changes.
  const known = await findInvitation(ctx.db.read, actor.workspaceId, input.id)
  const email = known?.email ?? null
  const byMail = isMailed(ctx, email, input)
  const unit = async (tx: Tx) => {
    const now = ctx.clock.now()
    const { row, invitation } = await requireManaged(tx, now, actor, input.id)
    if (invitation.status === 'accepted' || invitation.status === 'revoked')
      throw new Fault(memberFaults.invitation_invalid)
    if (invitation.status === 'expired') {
      if (row.email !== null) await requireNewcomer(tx, actor.workspaceId, row.email, now)
      await requirePlace(tx, ctx, actor.workspaceId)
    }
    const expires_at = now + invitationLifetimeMs
    const fresh = { token_hash: minted.hash, round: row.round + 1, expires_at, updated_at: now }
    await updateInvitation(tx, row.id, fresh)
    return await issue(tx, ctx, { id: row.id, workspaceId: actor.workspaceId }, minted, byMail)
  }
  return await countingInvitation(ctx, actor.workspaceId, byMail ? email : null, () =>
    ctx.db.write(unit),
  )
}

/** Whether sending an invitation again would show the person a link that makes its holder an admin. */
export async function showsAdminLink(
  ctx: Pick<Context, 'db' | 'mail'>,
  { userId, workspaceId }: MemberActor,
  input: { readonly id: string; readonly byMail?: boolean | undefined },
): Promise<boolean> {
  const row = await findInvitation(ctx.db.read, workspaceId, input.id)
  if (row?.role !== 'admin' || isMailed(ctx, row.email, input)) return false
  // To others the invitation does not exist.
  return (await roleIn(ctx.db.read, userId, workspaceId)) !== null
}

function isMailed(
  { mail }: Pick<Context, 'mail'>,
  email: string | null,
  { byMail = true }: { readonly byMail?: boolean | undefined },
): boolean {
  return email !== null && mail !== null && byMail
}

/**
 * Revokes an invitation: its link stops working at once. An accepted invitation is a membership now.
 *
 * @throws Fault record_not_found, permission_denied, role_not_yours_to_give, already_member
 */
export function revokeInvitation(
  ctx: Pick<Context, 'db' | 'clock'>,
  actor: MemberActor,
  id: string,
): Promise<Invitation> {
  return ctx.db.write(async (tx) => {
    const now = ctx.clock.now()
    const { row, invitation } = await requireManaged(tx, now, actor, id)
    if (invitation.status === 'accepted') throw new Fault(memberFaults.already_member)
    const revoked_at = row.revoked_at ?? now
    await updateInvitation(tx, id, { revoked_at, mail_sealed: null, updated_at: now })
    return invitationFromRow({ ...row, revoked_at }, now)
  })
}

/** An invitation that the person may send again or revoke. */
async function requireManaged(tx: Tx, now: number, actor: MemberActor, id: string) {
  const role = await requireRoleNow(tx, actor, 'admin')
  const row = await findInvitation(tx, actor.workspaceId, id)
  if (row === undefined) throw new Fault(commonFaults.record_not_found)
  const invitation = invitationFromRow(row, now)
  requireMayGive(role, invitation.role)
  return { row, invitation }
}

async function requireNewcomer(tx: Tx, workspaceId: string, email: string, now: number) {
  if ((await findMemberByEmail(tx, workspaceId, email)) !== undefined)
    throw new Fault(memberFaults.already_member)
  if ((await findOpenInvitationFor(tx, workspaceId, email, now)) !== undefined)
    throw new Fault(memberFaults.already_invited, { email })
}

/** Open invitations count towards the plan's limit of members. */
async function requirePlace(
  tx: Tx,
  ctx: Pick<Context, 'clock' | 'config'>,
  workspaceId: string,
): Promise<void> {
  const open = await countOpenInvitations(tx, workspaceId, ctx.clock.now())
  await requireRecordRoom(tx, ctx, 'invitations_per_workspace', workspaceId)
  await requireRecordRoom(tx, ctx, 'members_per_workspace', workspaceId, open + 1)
  await requireRoom(
    tx,
    workspaceId,
    'members',
    async () => (await countMembers(tx, workspaceId)) + open,
  )
}

/** A mailed link goes to the mailbox alone: using it later proves whose address it is. */
async function issue(
  tx: Tx,
  ctx: InviteContext,
  { id, workspaceId }: { readonly id: string; readonly workspaceId: string },
  minted: MintedToken,
  byMail: boolean,
): Promise<IssuedInvitation> {
  const row = await findInvitation(tx, workspaceId, id)
  if (row === undefined) throw new Fault(commonFaults.record_not_found)
  const link = linkOf(ctx.config, minted.token)
  const mail_status = byMail ? ('pending' as const) : ('none' as const)
  const mail_sealed = byMail ? sealedMail(ctx, row, link) : null
  const mail = { mail_status, mail_sealed, mail_error: null }
  await updateInvitation(tx, id, mail)
  if (byMail) {
    const key = `${id}:${row.round}`
    await ctx.jobs.enqueue(tx, mailInvitation, { id, round: row.round }, { key, workspaceId })
  }
  const invitation = invitationFromRow({ ...row, ...mail }, ctx.clock.now())
  return { ...invitation, link: byMail ? null : link }
}
