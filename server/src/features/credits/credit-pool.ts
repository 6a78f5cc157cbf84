import { isOnSharedPlan } from '#features/workspaces/index.ts'
import { includedMicros } from '#kernel/plan.ts'
import type { Context } from '#platform/context.ts'
import type { Reader } from '#platform/db/database.ts'
import { findOwned } from './share-store.ts'

/** The included credits that the workspaces of one person share each month. */
export interface CreditPool {
  readonly userId: string
  /** Those of the person's largest shared plan that limits credits. */
  readonly sizeMicros: number
  /** The person's other workspaces on a shared plan; also deleted ones, which may still hold some. */
  readonly otherIds: readonly string[]
}

/** The pool that a workspace's included credits come from; null if they are its own. */
export async function findPool(
  reader: Reader,
  config: Context['config'],
  workspaceId: string,
): Promise<CreditPool | null> {
  const owned = await findOwned(reader, workspaceId)
  if (owned === null) return null
  const shared = owned.workspaces.filter((one) => isOnSharedPlan(config, one))
  if (!shared.some(({ id }) => id === workspaceId)) return null
  const sizes = shared
    .filter(({ isDeleted }) => !isDeleted)
    .map(({ plan }) => includedMicros(config, plan) ?? 0)
  return {
    userId: owned.userId,
    sizeMicros: Math.max(0, ...sizes),
    otherIds: shared.map(({ id }) => id).filter((id) => id !== workspaceId),
  }
}
