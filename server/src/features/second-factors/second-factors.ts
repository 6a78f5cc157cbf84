import { Fault, commonFaults } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Reader, Tx } from '#platform/db/database.ts'
import { deleteChallengesOf, deleteExpiredChallenges } from './challenge-store.ts'
import { recordFactor } from './record-factor.ts'
import { mintRecoveryCodes, storeRecoveryCodes } from './recovery-codes.ts'
import { secondFactorFaults } from './second-factor-faults.ts'
import {
  countUnusedCodes,
  deleteCodes,
  deleteFactor,
  deleteFactors,
  hasFactorRow,
  insertFactor,
  listFactorRows,
  workspacesRequiringFactor,
  type FactorRow,
} from './store.ts'

/** A passkey or an authenticator app, as its owner sees it. */
export interface SecondFactor {
  readonly id: string
  readonly kind: 'totp' | 'passkey'
  readonly name: string
  readonly createdAt: number
  readonly lastUsedAt: number | null
}

/** A signed-in person who changes their own factors. */
export interface Holder {
  readonly userId: string
  readonly email: string
  readonly name: string
  readonly sessionId: string
  readonly address: string | null
}

const maxFactors = 10

/** Whether a sign-in of this person needs a second step. */
export function hasSecondFactor(reader: Reader, userId: string): Promise<boolean> {
  return hasFactorRow(reader, userId)
}

/** A person's factors, oldest first, and how many recovery codes they have left. */
export async function listSecondFactors(
  ctx: Pick<Context, 'db'>,
  userId: string,
): Promise<{ readonly factors: readonly SecondFactor[]; readonly codesLeft: number }> {
  const rows = await listFactorRows(ctx.db.read, userId)
  const codesLeft = await countUnusedCodes(ctx.db.read, userId)
  const factors = rows.map((row) => ({
    id: row.id,
    kind: row.kind === 'passkey' ? ('passkey' as const) : ('totp' as const),
    name: row.name,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  }))
  return { factors, codesLeft }
}

/**
 * A step: adds a factor. With the first one come recovery codes.
 *
 * @returns whether the codes were stored, so that they are shown
 * @throws Fault too_many_factors, factor_wrong
 */
export async function addFactor(
  tx: Tx,
  now: number,
  { userId, address }: Pick<Holder, 'userId' | 'address'>,
  { row, codes }: { readonly row: FactorRow; readonly codes: readonly string[] },
): Promise<boolean> {
  const known = await listFactorRows(tx, userId)
  if (known.length >= maxFactors)
    throw new Fault(secondFactorFaults.too_many_factors, { allowed: maxFactors })
  if (!(await insertFactor(tx, row))) throw new Fault(secondFactorFaults.factor_wrong)
  const detail = { kind: row.kind, name: row.name }
  await recordFactor(tx, now, { userId, address, action: 'add_second_factor', detail })
  if (known.length > 0) return false
  await storeRecoveryCodes(tx, now, userId, codes)
  return true
}

/**
 * Removes a factor; with the last one, the recovery codes end.
 *
 * @throws Fault record_not_found, last_factor_required
 */
export async function removeSecondFactor(
  ctx: Pick<Context, 'db' | 'clock'>,
  { userId, address }: Pick<Holder, 'userId' | 'address'>,
  id: string,
): Promise<void> {
  await ctx.db.write(async (tx) => {
    if (!(await deleteFactor(tx, userId, id))) throw new Fault(commonFaults.record_not_found)
    await recordFactor(tx, ctx.clock.now(), { userId, address, action: 'remove_second_factor' })
    if (await hasFactorRow(tx, userId)) return
    const [workspace] = await workspacesRequiringFactor(tx, userId)
    if (workspace !== undefined)
      throw new Fault(secondFactorFaults.last_factor_required, { workspace: workspace.name })
    await deleteCodes(tx, userId)
  })
}

/**
 * New recovery codes; the earlier ones end.
 *
 * @throws Fault record_not_found for a person without a factor
 */
export async function replaceRecoveryCodes(
  ctx: Pick<Context, 'db' | 'clock'>,
  { userId, address }: Pick<Holder, 'userId' | 'address'>,
): Promise<readonly string[]> {
  const codes = mintRecoveryCodes()
  await ctx.db.write(async (tx) => {
    const now = ctx.clock.now()
    if (!(await hasFactorRow(tx, userId))) throw new Fault(commonFaults.record_not_found)
    await storeRecoveryCodes(tx, now, userId, codes)
    await recordFactor(tx, now, { userId, address, action: 'replace_recovery_codes' })
  })
  return codes
}

/**
 * A step: ends a person's factors, recovery codes and open challenges, for `endAllCredentials` and for
 * operators.
 *
 * @returns how many factors there were
 */
export async function resetSecondFactors(tx: Tx, userId: string): Promise<number> {
  await deleteChallengesOf(tx, userId)
  return await deleteFactors(tx, userId)
}

/** Workspaces in which the person may do nothing until they have a second factor. */
export async function workspacesWaitingForFactor(
  reader: Reader,
  userId: string,
): Promise<readonly { readonly id: string; readonly name: string }[]> {
  const requiring = await workspacesRequiringFactor(reader, userId)
  return requiring.length === 0 || (await hasFactorRow(reader, userId)) ? [] : requiring
}

/** A step: deletes challenges past their deadline. */
export async function sweepChallenges(tx: Tx, now: number): Promise<void> {
  await deleteExpiredChallenges(tx, now)
}
