import { atLeast, type Role } from '#kernel/actor.ts'
import type { Tx } from '#platform/db/database.ts'
import { revokeInvitationsBy } from './invitation-store.ts'
import type { MemberActor } from './role-rules.ts'

/**
 * A step: revokes a person's open invitations to roles that they may no longer give. An owner who
 * becomes an admin can still invite editors and viewers.
 */
export async function endInvitationsBeyond(
  tx: Tx,
  person: MemberActor,
  role: Role,
  now: number,
): Promise<void> {
  if (role === 'owner') return
  await revokeInvitationsBy(tx, person, now, atLeast(role, 'admin') ? ['admin'] : undefined)
}
