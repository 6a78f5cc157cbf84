import { planNames, type Plan } from '#kernel/plan.ts'
import type { Reader } from '#platform/db/database.ts'

/** The plan of a live workspace; undefined if there is no such workspace. */
export async function findPlan(reader: Reader, workspaceId: string): Promise<Plan | undefined> {
  const row = await reader
    .selectFrom('workspaces')
    .select('plan')
    .where('id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return planNames.find((plan) => plan === row?.plan)
}

/** Live workspaces on a plan that have no balance yet. */
export async function listWithoutBalance(
  reader: Reader,
  plan: Plan,
  limit: number,
): Promise<string[]> {
  const rows = await reader
    .selectFrom('workspaces')
    .select('id')
    .where('plan', '=', plan)
    .where('deleted_at', 'is', null)
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('credit_windows')
            .select('credit_windows.id')
            .whereRef('credit_windows.workspace_id', '=', 'workspaces.id')
            .where('credit_windows.period', '=', 'balance'),
        ),
      ),
    )
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** Live workspaces on a plan that have a balance but no entry with an idempotency key. */
export async function listWithoutEntry(
  reader: Reader,
  plan: Plan,
  idempotencyKey: string,
  limit: number,
): Promise<string[]> {
  const rows = await withBalance(reader)
    .where('workspaces.plan', '=', plan)
    .where('workspaces.deleted_at', 'is', null)
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('credit_entries')
            .select('credit_entries.id')
            .whereRef('credit_entries.workspace_id', '=', 'workspaces.id')
            .where('credit_entries.idempotency_key', '=', idempotencyKey),
        ),
      ),
    )
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** Workspaces on some of the plans that have a balance. */
export async function listWithBalance(
  reader: Reader,
  onPlans: readonly Plan[],
  limit: number,
): Promise<string[]> {
  if (onPlans.length === 0) return []
  const query = withBalance(reader).where('workspaces.plan', 'in', onPlans).limit(limit)
  return (await query.execute()).map(({ id }) => id)
}

function withBalance(reader: Reader) {
  return reader
    .selectFrom('workspaces')
    .innerJoin('credit_windows', 'credit_windows.workspace_id', 'workspaces.id')
    .select('workspaces.id')
    .where('credit_windows.period', '=', 'balance')
}
