import { hasSecondFactor } from '#features/second-factors/index.ts'
import type { Reader, Tx } from '#platform/db/database.ts'

const firstWorkspaceKey = 'first_workspace'

/** True for an owner of the instance's first workspace, with a second factor if it requires one. */
export async function ownsFirstWorkspace(reader: Reader, userId: string): Promise<boolean> {
  const first = (await rememberedFirst(reader)) ?? (await oldestWorkspace(reader))
  if (first === null) return false
  const row = await reader
    .selectFrom('memberships')
    .innerJoin('workspaces', 'workspaces.id', 'memberships.workspace_id')
    .select(['role', 'owners_need_second_factor'])
    .where('user_id', '=', userId)
    .where('workspace_id', '=', first)
    .executeTakeFirst()
  if (row?.role !== 'owner') return false
  return row.owners_need_second_factor === 0 || (await hasSecondFactor(reader, userId))
}

/**
 * Records which workspace was the first. If it is deleted, the owners of the next one, who may be
 * customers, must not become operators.
 */
export async function rememberFirstWorkspace(tx: Tx): Promise<void> {
  if ((await rememberedFirst(tx)) !== null) return
  const value = await oldestWorkspace(tx)
  if (value === null) return
  await tx.insertInto('meta').values({ key: firstWorkspaceKey, value }).execute()
}

async function rememberedFirst(reader: Reader): Promise<string | null> {
  const row = await reader
    .selectFrom('meta')
    .select('value')
    .where('key', '=', firstWorkspaceKey)
    .executeTakeFirst()
  return row?.value ?? null
}

/** Ids are in order of time. */
async function oldestWorkspace(reader: Reader): Promise<string | null> {
  const row = await reader
    .selectFrom('workspaces')
    .select('id')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return row?.id ?? null
}
