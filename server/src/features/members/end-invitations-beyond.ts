import { atLeast, type Role } from '#kernel/actor.ts'
import type { Tx } from '#platform/db/database.ts'
import { revokeInvitationsBy } from './invitation-store.ts'
import type { MemberActor } from './role-rules.ts'

/**
 * A step: who may not give a role any more has no open invitation to it in their pocket either. An
 * owner who is made an admin may go on inviting, but nobody to be an admin.
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
