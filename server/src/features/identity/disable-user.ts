import type { KeyToRotate } from '#features/api-keys/index.ts'
import { resetSecondFactors } from '#features/second-factors/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { normalizeEmail } from './email.ts'
import { endAllCredentials } from './end-all-credentials.ts'
import { identityFaults } from './identity-faults.ts'
import { recordPersonal } from './record-personal.ts'
import { deleteSessions } from './session-store.ts'
import { findUserRow, updateUser, type UserRow } from './store.ts'
import { userFromRow, type User } from './user.ts'

type OperatorContext = Pick<Context, 'db' | 'clock'>

/**
 * Bars a person from signing in by any way, for the operator, and ends all of their credentials. Their
 * workspaces and memberships stay, and `enableUser` lets them sign in again.
 *
 * @throws Fault user_not_found
 */
export function disableUser(
  ctx: OperatorContext,
  email: string,
): Promise<{ readonly user: User; readonly keysToRotate: readonly KeyToRotate[] }> {
  return ctx.db.write(async (tx) => {
    const now = ctx.clock.now()
    const row = await requireUser(tx, email)
    const changes = { disabled_at: row.disabled_at ?? now, updated_at: now }
    await updateUser(tx, row.id, changes)
    const keysToRotate = await endAllCredentials(tx, now, row, { reason: 'person_disabled' })
    await recordPersonal(tx, now, row.id, 'disable_user', 'cli')
    return { user: userFromRow({ ...row, ...changes }), keysToRotate }
  })
}

/**
 * Lets a disabled person sign in again, with the password they had. What ended stays ended.
 *
 * @throws Fault user_not_found
 */
export function enableUser(ctx: OperatorContext, email: string): Promise<User> {
  return ctx.db.write(async (tx) => {
    const now = ctx.clock.now()
    const row = await requireUser(tx, email)
    const changes = { disabled_at: null, updated_at: now }
    await updateUser(tx, row.id, changes)
    await recordPersonal(tx, now, row.id, 'enable_user', 'cli')
    return userFromRow({ ...row, ...changes })
  })
}

/**
 * Removes a person's second factors and recovery codes and signs them out everywhere, for the operator:
 * a person who lost both has no other way back.
 *
 * @returns how many second factors there were
 * @throws Fault user_not_found
 */
export function resetUserSecondFactors(
  ctx: OperatorContext,
  email: string,
): Promise<{ readonly user: User; readonly removed: number }> {
  return ctx.db.write(async (tx) => {
    const row = await requireUser(tx, email)
    const removed = await resetSecondFactors(tx, row.id)
    await deleteSessions(tx, row.id, null)
    await recordPersonal(tx, ctx.clock.now(), row.id, 'reset_second_factors', 'cli')
    return { user: userFromRow(row), removed }
  })
}

/**
 * Signs a person out in every browser, for the operator. Their keys and connected apps stay.
 *
 * @throws Fault user_not_found
 */
export function endUserSessions(ctx: OperatorContext, email: string): Promise<User> {
  return ctx.db.write(async (tx) => {
    const row = await requireUser(tx, email)
    await deleteSessions(tx, row.id, null)
    await recordPersonal(tx, ctx.clock.now(), row.id, 'end_sessions', 'cli')
    return userFromRow(row)
  })
}

async function requireUser(tx: Tx, given: string): Promise<UserRow> {
  const email = normalizeEmail(given)
  const row = await findUserRow(tx, email)
  if (row === undefined) throw new Fault(identityFaults.user_not_found, { email })
  return row
}
