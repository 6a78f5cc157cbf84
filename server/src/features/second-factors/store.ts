import type { Kysely, Selectable } from 'kysely'
import type { Reader, Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'

export type FactorRow = Selectable<Schema['second_factors']>

/** Oldest first. */
export function listFactorRows(reader: Reader, userId: string): Promise<FactorRow[]> {
  return reader
    .selectFrom('second_factors')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('id')
    .execute()
}

/** A query of a person's factors, also as a part of another one. */
export function factorsOf(on: Pick<Kysely<Schema>, 'selectFrom'>, userId: string) {
  return on.selectFrom('second_factors').select('id').where('user_id', '=', userId)
}

export async function hasFactorRow(reader: Reader, userId: string): Promise<boolean> {
  return (await factorsOf(reader, userId).limit(1).executeTakeFirst()) !== undefined
}

/** @returns false when another account, or this one, has the passkey already */
export async function insertFactor(tx: Tx, row: FactorRow): Promise<boolean> {
  const inserted = await tx
    .insertInto('second_factors')
    .values(row)
    .onConflict((conflict) => conflict.column('credential_id').doNothing())
    .returning('id')
    .executeTakeFirst()
  return inserted !== undefined
}

/** @returns false when the person has no such factor */
export async function deleteFactor(tx: Tx, userId: string, id: string): Promise<boolean> {
  const deleted = await tx
    .deleteFrom('second_factors')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  return deleted !== undefined
}

/** @returns false when a code of this time step, or a later one, was accepted before */
export async function spendStep(tx: Tx, id: string, step: number, now: number): Promise<boolean> {
  const spent = await tx
    .updateTable('second_factors')
    .set({ last_step: step, last_used_at: now })
    .where('id', '=', id)
    .where('last_step', '<', step)
    .returning('id')
    .executeTakeFirst()
  return spent !== undefined
}

/** @returns false when the passkey was used at the same time, or removed */
export async function moveSignCount(
  tx: Tx,
  { id, sign_count }: Pick<FactorRow, 'id' | 'sign_count'>,
  next: number,
  now: number,
): Promise<boolean> {
  const moved = await tx
    .updateTable('second_factors')
    .set({ sign_count: next, last_used_at: now })
    .where('id', '=', id)
    .where('sign_count', '=', sign_count)
    .returning('id')
    .executeTakeFirst()
  return moved !== undefined
}

export async function insertCodes(
  tx: Tx,
  rows: readonly Selectable<Schema['recovery_codes']>[],
): Promise<void> {
  await tx.insertInto('recovery_codes').values(rows).execute()
}

export async function deleteCodes(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
}

/** @returns false when the code is unknown or was used, even at the same time */
export async function spendCode(tx: Tx, hash: string, now: number): Promise<boolean> {
  const spent = await tx
    .updateTable('recovery_codes')
    .set({ used_at: now })
    .where('hash', '=', hash)
    .where('used_at', 'is', null)
    .returning('hash')
    .executeTakeFirst()
  return spent !== undefined
}

export async function countUnusedCodes(reader: Reader, userId: string): Promise<number> {
  const { count } = await reader
    .selectFrom('recovery_codes')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Live workspaces that the person owns and that require a second factor of their owners. */
export function workspacesRequiringFactor(reader: Reader, userId: string) {
  return reader
    .selectFrom('memberships')
    .innerJoin('workspaces', 'workspaces.id', 'memberships.workspace_id')
    .select(['workspaces.id', 'workspaces.name'])
    .where('memberships.user_id', '=', userId)
    .where('memberships.role', '=', 'owner')
    .where('workspaces.owners_need_second_factor', '=', 1)
    .where('workspaces.deleted_at', 'is', null)
    .orderBy('workspaces.id')
    .execute()
}

/** A person's factors and recovery codes. */
export async function deleteFactors(tx: Tx, userId: string): Promise<number> {
  await deleteCodes(tx, userId)
  const deleted = await tx
    .deleteFrom('second_factors')
    .where('user_id', '=', userId)
    .returning('id')
    .execute()
  return deleted.length
}
