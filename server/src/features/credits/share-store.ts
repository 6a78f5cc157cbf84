import type { Engine, Reader, Tx } from '#platform/db/database.ts'
import type { Plan } from '#kernel/plan.ts'
import { planFromRow } from '#features/workspaces/index.ts'
import type { WindowRow } from './window-store.ts'

/** A workspace of a person whose workspaces share credits. */
interface OwnedWorkspace {
  readonly id: string
  readonly plan: Plan
  readonly planIsOwn: boolean
  readonly isDeleted: boolean
}

/** A workspace's billing owner and all that this person's workspaces are; null if it has none. */
export async function findOwned(
  reader: Reader,
  workspaceId: string,
): Promise<{ readonly userId: string; readonly workspaces: readonly OwnedWorkspace[] } | null> {
  const rows = await reader
    .selectFrom('workspaces as one')
    .innerJoin('workspaces as other', 'other.billing_user_id', 'one.billing_user_id')
    .select(['other.id', 'other.plan', 'other.plan_is_own', 'other.deleted_at'])
    .select((e) => e.ref('other.billing_user_id').$notNull().as('user_id'))
    .where('one.id', '=', workspaceId)
    .execute()
  const [first] = rows
  if (first === undefined) return null
  const workspaces = rows.map(({ id, plan, plan_is_own, deleted_at }) => ({
    id,
    plan: planFromRow(plan),
    planIsOwn: plan_is_own === 1,
    isDeleted: deleted_at !== null,
  }))
  return { userId: first.user_id, workspaces }
}

/** What was granted to all workspaces of a person in a month, in micros. */
export async function sumGranted(reader: Reader, userId: string, month: string): Promise<number> {
  const row = await reader
    .selectFrom('credit_shares')
    .select((e) => e.fn.sum<number | null>('granted_micros').as('granted'))
    .where('user_id', '=', userId)
    .where('month', '=', month)
    .executeTakeFirst()
  return Number(row?.granted ?? 0)
}

/** What a workspace received of shared credits in some months. */
export interface Share {
  readonly month: string
  readonly grantedMicros: number
  readonly movedMicros: number
}

export async function listShares(
  reader: Reader,
  workspaceId: string,
  months: readonly string[],
): Promise<Share[]> {
  const rows = await reader
    .selectFrom('credit_shares')
    .select(['month', 'granted_micros', 'moved_micros'])
    .where('recipient_id', '=', workspaceId)
    .where('month', 'in', months)
    .execute()
  return rows.map(({ month, granted_micros: grantedMicros, moved_micros: movedMicros }) => ({
    month,
    grantedMicros,
    movedMicros,
  }))
}

export async function addToShare(
  tx: Tx,
  { userId, month, workspaceId }: Record<'userId' | 'month' | 'workspaceId', string>,
  added: { readonly grantedMicros?: number; readonly movedMicros?: number },
): Promise<void> {
  const { grantedMicros: granted_micros = 0, movedMicros: moved_micros = 0 } = added
  await tx
    .insertInto('credit_shares')
    .values({ user_id: userId, month, recipient_id: workspaceId, granted_micros, moved_micros })
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'month', 'recipient_id']).doUpdateSet((e) => ({
        granted_micros: e('credit_shares.granted_micros', '+', granted_micros),
        moved_micros: e('credit_shares.moved_micros', '+', moved_micros),
      })),
    )
    .execute()
}

/** The balances of some workspaces, in the order in which every unit locks windows. */
export function listBalances(reader: Reader, ids: readonly string[]): Promise<WindowRow[]> {
  return balancesOf(reader, ids).execute()
}

/** The same, locked until the unit ends. */
export function lockBalances(tx: Tx, engine: Engine, ids: readonly string[]): Promise<WindowRow[]> {
  const query = balancesOf(tx, ids)
  return (engine === 'postgres' ? query.forUpdate() : query).execute()
}

function balancesOf(reader: Reader, ids: readonly string[]) {
  return reader
    .selectFrom('credit_windows')
    .selectAll()
    .where('workspace_id', 'in', ids)
    .where('period', '=', 'balance')
    .orderBy('id')
}

/** Must be later than the oldest month that `settleMonth` looks back to. */
export async function deleteSharesBefore(tx: Tx, month: string): Promise<void> {
  await tx.deleteFrom('credit_shares').where('month', '<', month).execute()
}

/** Workspaces that an older version created, during an upgrade, have no billing owner yet. */
export async function setMissingBillingUsers(tx: Tx): Promise<void> {
  await tx
    .updateTable('workspaces')
    .set((e) => ({
      billing_user_id: e
        .selectFrom('memberships')
        .select('user_id')
        .whereRef('memberships.workspace_id', '=', 'workspaces.id')
        .where('role', '=', 'owner')
        .orderBy('memberships.created_at')
        .orderBy('memberships.user_id')
        .limit(1),
    }))
    .where('billing_user_id', 'is', null)
    .execute()
}
