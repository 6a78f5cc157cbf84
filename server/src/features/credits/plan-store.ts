import { planNames, type Plan } from '#kernel/plan.ts'
import type { Reader } from '#platform/db/database.ts'

/** The plan of a live workspace; undefined where there is none. */
export async function findPlan(reader: Reader, workspaceId: string): Promise<Plan | undefined> {
  const row = await reader
    .selectFrom('workspaces')
    .select('plan')
    .where('id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return planNames.find((plan) => plan === row?.plan)
}

/** Live workspaces on some of the plans whose balance is not counted yet. */
export async function listUncounted(
  reader: Reader,
  plans: readonly Plan[],
  limit: number,
): Promise<{ id: string; plan: string }[]> {
  if (plans.length === 0) return []
  return await reader
    .selectFrom('workspaces')
    .select(['id', 'plan'])
    .where('plan', 'in', plans)
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
}

/** Live workspaces on one plan that have a balance and nothing booked under a key. */
export async function listWithout(
  reader: Reader,
  plan: Plan,
  idempotencyKey: string,
  limit: number,
): Promise<string[]> {
  const rows = await reader
    .selectFrom('workspaces')
    .innerJoin('credit_windows', 'credit_windows.workspace_id', 'workspaces.id')
    .select('workspaces.id')
    .where('workspaces.plan', '=', plan)
    .where('workspaces.deleted_at', 'is', null)
    .where('credit_windows.period', '=', 'balance')
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

/** Workspaces with a balance although their plan has unlimited credits. */
export async function listCountedFor(
  reader: Reader,
  unlimited: readonly Plan[],
  limit: number,
): Promise<string[]> {
  if (unlimited.length === 0) return []
  const rows = await reader
    .selectFrom('workspaces')
    .innerJoin('credit_windows', 'credit_windows.workspace_id', 'workspaces.id')
    .select('workspaces.id')
    .where('workspaces.plan', 'in', unlimited)
    .where('credit_windows.period', '=', 'balance')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}
