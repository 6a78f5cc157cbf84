import { recordEvent } from '#features/audit/index.ts'
import {
  isWhole,
  openSession,
  prepareAccount,
  recordPersonal,
  requireEmail,
  requirePasswords,
  signIn,
  type SignInResult,
  type Visitor,
} from '#features/identity/index.ts'
import {
  findOpenInvitation,
  invitationFromRow,
  spendInvitation,
  workspaceJoinedBy,
  type Invitation,
  type InvitationRow,
} from '#features/invitations/index.ts'
import { insertMembership, requireRoom } from '#features/workspaces/index.ts'
import { Fault } from '#kernel/fault.ts'
import { hashToken, mintToken } from '#kernel/tokens.ts'
import type { Context } from '#platform/context.ts'
import type { Reader, Tx } from '#platform/db/database.ts'
import { provenAddress } from './join-link.ts'
import { memberFaults } from './member-faults.ts'
import { countMembers, findMemberRow } from './member-store.ts'

type AcceptContext = Pick<Context, 'db' | 'clock' | 'config' | 'limits' | 'vault' | 'workers'>

/** What the holder of an invitation's link may see. */
export interface ShownInvitation extends Invitation {
  readonly workspace: { readonly id: string; readonly name: string }
  /** The address whose mailbox the holder reads, because this link was mailed there; null if none. */
  readonly provenEmail: string | null
}

/** Does not use up the link, so that link previews do no harm. @throws Fault invitation_invalid */
export async function readInvitation(
  ctx: Pick<Context, 'db' | 'clock'>,
  token: string,
  proof?: string,
): Promise<ShownInvitation> {
  const now = ctx.clock.now()
  const row = await requireOpen(ctx.db.read, token, now)
  const workspace = { id: row.workspace_id, name: row.workspace_name }
  const provenEmail = await provenAddress(ctx.db.read, row, proof, now)
  return { ...invitationFromRow(row, now), workspace, provenEmail }
}

/**
 * The workspace that the person joined by this link, or null: a form may be sent twice, or a page
 * opened again.
 */
export async function joinedWorkspace(
  ctx: Pick<Context, 'db'>,
  token: string,
  userId: string,
): Promise<string | null> {
  return await workspaceJoinedBy(ctx.db.read, hashToken(token), userId)
}

/**
 * Adds a signed-in person. The link works once, even if two people use it at the same time.
 *
 * @returns the workspace joined
 * @throws Fault invitation_invalid, invitation_for_another, already_member, plan_limit_reached
 */
export function acceptInvitation(
  ctx: Pick<Context, 'db' | 'clock'>,
  token: string,
  person: { readonly id: string; readonly email: string },
): Promise<{ readonly workspaceId: string }> {
  return ctx.db.write((tx) => join(tx, ctx.clock.now(), token, person))
}

export interface Newcomer {
  /** Ignored if the invitation names the e-mail, or a mailed link proves one. */
  readonly email: string
  readonly name: string
  readonly password: string
  /** The token of a link that `mailJoinLink` sent. */
  readonly proof?: string | undefined
}

/**
 * Adds a person who is not signed in: with the password of their account, or with a new account. Only
 * a link that was mailed proves whose address it is, so no other link creates an account. A wrong
 * password counts and fails as at sign-in; without an account, every password is wrong. A person
 * with a second factor joins after it.
 *
 * @throws Fault as acceptInvitation, signIn and createUser
 */
export async function acceptByPassword(
  ctx: AcceptContext,
  token: string,
  { proof, ...given }: Newcomer,
  visitor: Visitor,
): Promise<SignInResult> {
  requirePasswords(ctx.config)
  const now = ctx.clock.now()
  const invitation = await requireOpen(ctx.db.read, token, now)
  const proven = await provenAddress(ctx.db.read, invitation, proof, now)
  const step = proven === null ? null : await prepareAccount(ctx, { ...given, email: proven })
  if (step !== null) return await joinWith(ctx, token, step, visitor)
  const email = proven ?? invitation.email ?? requireEmail(given.email)
  const opened = await signIn(ctx, { email, password: given.password }, visitor)
  if (isWhole(opened)) await acceptInvitation(ctx, token, opened.session.user)
  return opened
}

async function joinWith(
  ctx: AcceptContext,
  token: string,
  step: NonNullable<Awaited<ReturnType<typeof prepareAccount>>>,
  visitor: Visitor,
): Promise<SignInResult> {
  const minted = mintToken('')
  return await ctx.db.write(async (tx) => {
    const now = ctx.clock.now()
    const user = await step(tx)
    await join(tx, now, token, user)
    await recordPersonal(tx, now, user.id, 'sign_up', visitor)
    return await openSession(tx, ctx, { user, method: 'setup', minted, visitor })
  })
}

/**
 * For `signInWithOpenId`: lets a person without an account get one by an invitation, and then adds them
 * to the workspace.
 */
export function admitInvited(ctx: Pick<Context, 'clock'>, token: string) {
  return async (tx: Tx, email: string) => {
    const now = ctx.clock.now()
    const row = await findOpenInvitation(tx, hashToken(token), now)
    if (row === undefined || (row.email !== null && row.email !== email)) return null
    return async (user: { readonly id: string; readonly email: string }) => {
      await join(tx, now, token, user)
    }
  }
}

/** A step. */
async function join(
  tx: Tx,
  now: number,
  token: string,
  person: { readonly id: string; readonly email: string },
): Promise<{ readonly workspaceId: string }> {
  const row = await requireOpen(tx, token, now)
  const { workspace_id: workspaceId } = row
  if (row.email !== null && row.email !== person.email)
    throw new Fault(memberFaults.invitation_for_another, { email: row.email })
  if ((await findMemberRow(tx, workspaceId, person.id)) !== undefined)
    throw new Fault(memberFaults.already_member)
  await requireRoom(tx, workspaceId, 'members', () => countMembers(tx, workspaceId))
  if (!(await spendInvitation(tx, row.token_hash, person.id, now)))
    throw new Fault(memberFaults.invitation_invalid)
  const { role, invitedBy } = invitationFromRow(row, now)
  await insertMembership(tx, {
    workspace_id: workspaceId,
    user_id: person.id,
    role,
    created_at: now,
  })
  await recordEvent(tx, now, {
    actor: { userId: person.id, workspaceId, scopes: ['*'], surface: 'dashboard' },
    workspaceId,
    action: 'accept_invitation',
    target: person.id,
    outcome: 'done',
    detail: { invitation_id: row.id, invited_by: invitedBy.id },
    after: { role },
  })
  return { workspaceId }
}

async function requireOpen(reader: Reader, token: string, now: number): Promise<InvitationRow> {
  const row = await findOpenInvitation(reader, hashToken(token), now)
  if (row === undefined) throw new Fault(memberFaults.invitation_invalid)
  return row
}
