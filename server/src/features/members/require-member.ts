import { commonFaults, Fault } from '#kernel/fault.ts'
import type { Reader } from '#platform/db/database.ts'
import { memberFaults } from './member-faults.ts'
import { memberFromRow, type Member } from './member.ts'
import { findMemberRow, hasOtherOwner } from './member-store.ts'

/** A step. @throws Fault record_not_found */
export async function requireMember(
  reader: Reader,
  workspaceId: string,
  userId: string,
): Promise<Member> {
  const row = await findMemberRow(reader, workspaceId, userId)
  if (row === undefined) throw new Fault(commonFaults.record_not_found)
  return memberFromRow(row)
}

/**
 * A step: a workspace is never without an owner. Belongs into the unit that takes one away, so that
 * two owners cannot both go.
 *
 * @throws Fault last_owner
 */
export async function requireAnotherOwner(
  reader: Reader,
  workspaceId: string,
  { userId, role }: Member,
): Promise<void> {
  if (role !== 'owner' || (await hasOtherOwner(reader, workspaceId, userId))) return
  throw new Fault(memberFaults.last_owner)
}
