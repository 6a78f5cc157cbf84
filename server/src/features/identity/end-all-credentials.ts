import {
  endDeveloperKeys,
  markKeysToRotate,
  type KeyToRotate,
  type RotationReason,
} from '#features/api-keys/index.ts'
import { endGrants } from '#features/grants/index.ts'
import { revokeInvitationsBy, revokeInvitationsTo } from '#features/invitations/index.ts'
import { resetSecondFactors } from '#features/second-factors/index.ts'
import type { Tx } from '#platform/db/database.ts'
import { endEmailLinks } from './email-link-store.ts'
import { deleteSessions } from './session-store.ts'
import { deleteIdentities, endSetupLinks, type UserRow } from './store.ts'

interface End {
  readonly reason: Extract<RotationReason, 'password_reset' | 'person_disabled' | 'account_claimed'>
  /** The person has just proved that they read the account's mailbox, so invitations to it stay. */
  readonly mailboxIsTheirs?: boolean
}

/**
 * A step: ends everything that acts for a person or leads back to their account. Whatever lets another
 * person take over an account, or ends one, uses it, so that no former holder keeps a way in. Chat
 * and checkout keys act for their agent and stay; they are marked for the workspace's owner. The
 * caller decides about the password. A new kind of credential belongs in this list.
 *
 * @returns the chat and checkout keys that the person knows
 */
export async function endAllCredentials(
  tx: Tx,
  now: number,
  { id: userId, email }: Pick<UserRow, 'id' | 'email'>,
  { reason, mailboxIsTheirs = false }: End,
): Promise<readonly KeyToRotate[]> {
  await deleteSessions(tx, userId, null)
  await resetSecondFactors(tx, userId)
  await deleteIdentities(tx, userId)
  await endSetupLinks(tx, userId, now)
  await endEmailLinks(tx, userId, now)
  await endDeveloperKeys(tx, { userId }, now)
  await endGrants(tx, { userId }, now)
  await revokeInvitationsBy(tx, { userId }, now)
  if (!mailboxIsTheirs) await revokeInvitationsTo(tx, email, now)
  return await markKeysToRotate(tx, { userId }, reason, now)
}
