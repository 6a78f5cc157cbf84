import { allowedOf } from '#kernel/limits.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { countOf, type RecordLimit } from './count-records.ts'
import { limitReached } from './limit-reached.ts'

/**
 * A step: refuses records beyond a limit. Belongs in the unit that adds them, so that two callers
 * cannot both take the last slot.
 *
 * @param ownerId the workspace or agent that the limit counts for
 * @param adding how many are added, or bytes; 0 if the unit has inserted them already
 * @throws Fault limit_reached
 */
export async function requireRecordRoom(
  tx: Tx,
  { config, clock }: Pick<Context, 'config' | 'clock'>,
  limit: RecordLimit,
  ownerId: string,
  adding = 1,
): Promise<void> {
  const allowed = allowedOf(config, limit)
  if (allowed === null || (await isRoom(tx, clock, limit, ownerId, allowed - adding))) return
  throw limitReached(limit, allowed)
}

/** A step: whether so many further records fit. */
export async function hasRecordRoom(
  tx: Tx,
  { config, clock }: Pick<Context, 'config' | 'clock'>,
  limit: RecordLimit,
  ownerId: string,
  adding: number,
): Promise<boolean> {
  const allowed = allowedOf(config, limit)
  return allowed === null || (await isRoom(tx, clock, limit, ownerId, allowed - adding))
}

async function isRoom(
  tx: Tx,
  clock: Context['clock'],
  limit: RecordLimit,
  ownerId: string,
  most: number,
): Promise<boolean> {
  return (await countOf(tx, limit, ownerId, clock.now())) <= most
}
