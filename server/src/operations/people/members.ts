import { z } from 'zod'
import { emailProofs } from '#features/identity/index.ts'
import { invitationStatuses, invitedRoles, listInvitations } from '#features/invitations/index.ts'
import {
  changeMemberRole,
  inviteMember,
  leaveWorkspace,
  listMembers,
  removeMember,
  resendInvitation,
  revokeInvitation,
  showsAdminLink,
  transferWorkspace,
} from '#features/members/index.ts'
import { roles, type Actor } from '#kernel/actor.ts'
import { camelKeys } from '#kernel/key-case.ts'
import type { Context } from '#platform/context.ts'
import { aMember, itsId } from '#operations/acts-on.ts'
import { changes, creates, type Audit } from '#operations/audited.ts'
import {
  defineOperation,
  hints,
  memberOf,
  listAnswer,
  listOf,
  paging,
  peopleOnly,
  recordId,
  timestamp,
} from '#operations/operation.ts'
import { keyToRotate, showKeyToRotate } from './key-rotation.ts'
import { showAs } from '#operations/show-as.ts'

const member = z.strictObject({
  user_id: recordId,
  name: z.string(),
  email: z.string(),
  email_proof: z
    .enum(emailProofs)
    .describe('Who knows that the address is theirs; operator: an operator vouched for it'),
  is_disabled: z.boolean().describe('An operator disabled the account'),
  role: z.enum(roles),
  joined_at: timestamp,
})

const invitation = z.strictObject({
  id: recordId,
  email: z
    .string()
    .nullable()
    .describe('The only person who can accept it; null: anyone with the link'),
  role: z.enum(roles),
  invited_by: z.strictObject({ id: recordId, name: z.string() }),
  status: z.enum(invitationStatuses),
  mail: z.enum(['none', 'pending', 'sent', 'failed']),
  mail_error: z.string().nullable(),
  created_at: timestamp,
  expires_at: timestamp,
})

const issuedInvitation = invitation.extend({
  link: z.string().nullable().describe('Shown only now; null if it was mailed'),
})

const byMail = z
  .boolean()
  .optional()
  .describe('false shows the link instead of mailing it; default: mailed if mail is set up')

const showMember = showAs(member)

const showInvitation = showAs(invitation)

/** Whether an input gives a role that can invite, promote and remove others. */
function givesControl(input: unknown): boolean {
  if (typeof input !== 'object' || input === null || !('role' in input)) return false
  return input.role === 'owner' || input.role === 'admin'
}

const resentInvitation = z.object({ id: recordId, by_mail: byMail })

/** As for a new invitation, unless the link goes to the mailbox alone. */
async function showsControl(input: unknown, ctx: Context, actor: Actor): Promise<boolean> {
  const named = resentInvitation.extend({ workspace_id: recordId.optional() }).safeParse(input)
  if (!named.success) return false
  const { workspace_id: workspaceId = actor.workspaceId, ...invitation } = named.data
  return await showsAdminLink(ctx, { userId: actor.userId, workspaceId }, camelKeys(invitation))
}

const shared = { toolset: 'workspace', surfaces: peopleOnly } as const
const changing = { ...shared, scope: 'workspace:write' } as const

function membershipOf(workspace_id: string, user_id: string) {
  return { table: 'memberships', where: { workspace_id, user_id } } as const
}

const changesMember: Audit<{ readonly user_id: string }> = {
  record: ({ workspaceId, input }) => membershipOf(workspaceId, input.user_id),
}

const endsOwnMembership: Audit<unknown> = {
  record: ({ workspaceId, userId }) => membershipOf(workspaceId, userId),
}

const memberships = [
  defineOperation({
    ...shared,
    name: 'list_members',
    title: 'List members',
    description: 'Lists the members of a workspace with their roles.',
    scope: 'workspace:read',
    hints: hints.read,
    input: z.object(paging),
    output: listOf(member),
    run: async (ctx, { workspaceId }, input) =>
      listAnswer(await listMembers(ctx, workspaceId, input), showMember),
  }),
  defineOperation({
    ...changing,
    name: 'change_member_role',
    title: 'Change member role',
    description:
      'Changes a member’s role from their next request on. Admins can change editors and viewers, owners all members.',
    role: 'admin',
    // Making someone an editor or a viewer is never delayed: it can take control from an attacker.
    needsConfirmation: givesControl,
    hints: hints.update,
    audit: changesMember,
    actsOn: aMember,
    input: z.object({ user_id: recordId, role: z.enum(roles) }),
    output: member,
    run: async (ctx, call, input) =>
      showMember(await changeMemberRole(ctx, memberOf(call), camelKeys(input))),
  }),
  defineOperation({
    ...changing,
    name: 'remove_member',
    title: 'Remove member',
    description:
      'Removes a member from a workspace. Their access ends at once, also that of their keys and apps; the answer lists keys and secrets of chat pages that they know.',
    role: 'admin',
    hints: hints.remove,
    audit: changesMember,
    actsOn: aMember,
    input: z.object({ user_id: recordId }),
    output: member.extend({
      keys_to_rotate: z.array(keyToRotate).describe('What they know and still works'),
    }),
    run: async (ctx, call, input) => {
      const former = await removeMember(ctx, memberOf(call), input.user_id)
      return { ...showMember(former), keys_to_rotate: former.keysToRotate.map(showKeyToRotate) }
    },
  }),
  defineOperation({
    ...changing,
    name: 'leave_workspace',
    title: 'Leave workspace',
    description: 'Removes you from a workspace. The last owner must transfer or delete it instead.',
    role: 'viewer',
    hints: hints.remove,
    audit: endsOwnMembership,
    input: z.object({}),
    output: member,
    run: async (ctx, call) => showMember(await leaveWorkspace(ctx, memberOf(call))),
  }),
  defineOperation({
    ...changing,
    name: 'transfer_workspace',
    title: 'Transfer workspace',
    description: 'Makes another member the owner of a workspace, and you an admin.',
    role: 'owner',
    needsConfirmation: true,
    hints: { ...hints.remove, idempotent: false },
    audit: changesMember,
    actsOn: aMember,
    input: z.object({ user_id: recordId }),
    output: member,
    run: async (ctx, call, input) =>
      showMember(await transferWorkspace(ctx, memberOf(call), input.user_id)),
  }),
]

const invitations = [
  defineOperation({
    ...changing,
    name: 'invite_member',
    title: 'Invite member',
    description:
      'Invites a person by mail, or by a link that is shown only now. It works once, within seven days.',
    role: 'admin',
    needsConfirmation: givesControl,
    hints: hints.create,
    audit: creates('invitations'),
    input: z.object({
      email: z.string().max(254).optional().describe('Only this person can accept it'),
      role: z.enum(invitedRoles),
      by_mail: byMail,
    }),
    output: issuedInvitation,
    run: async (ctx, call, input) => {
      const issued = await inviteMember(ctx, memberOf(call), camelKeys(input))
      return { ...showInvitation(issued), link: issued.link }
    },
  }),
  defineOperation({
    ...shared,
    name: 'list_invitations',
    title: 'List invitations',
    description: 'Lists the pending and expired invitations of a workspace, newest first.',
    scope: 'workspace:read',
    role: 'admin',
    hints: hints.read,
    input: z.object({
      settled: z.boolean().default(false).describe('Includes accepted and revoked ones'),
      ...paging,
    }),
    output: listOf(invitation),
    run: async (ctx, { workspaceId }, input) =>
      listAnswer(await listInvitations(ctx, workspaceId, input), showInvitation),
  }),
  defineOperation({
    ...changing,
    name: 'resend_invitation',
    title: 'Resend invitation',
    description:
      'Sends an invitation again with a new link that works for seven days. The old link stops working.',
    role: 'admin',
    needsConfirmation: showsControl,
    hints: { ...hints.update, idempotent: false },
    audit: changes('invitations', 'id'),
    actsOn: itsId,
    input: resentInvitation,
    output: issuedInvitation,
    run: async (ctx, call, input) => {
      const issued = await resendInvitation(ctx, memberOf(call), camelKeys(input))
      return { ...showInvitation(issued), link: issued.link }
    },
  }),
  defineOperation({
    ...changing,
    name: 'revoke_invitation',
    title: 'Revoke invitation',
    description: 'Revokes an invitation. Its link stops working at once.',
    role: 'admin',
    hints: hints.remove,
    audit: changes('invitations', 'id'),
    actsOn: itsId,
    input: z.object({ id: recordId }),
    output: invitation,
    run: async (ctx, call, input) =>
      showInvitation(await revokeInvitation(ctx, memberOf(call), input.id)),
  }),
]

export const memberOperations = [...memberships, ...invitations]
