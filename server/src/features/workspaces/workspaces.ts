import { requireNewWorkspaceRoom } from '#features/quotas/index.ts'
import type { Role } from '#kernel/actor.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { newId } from '#kernel/ids.ts'
import { pageById, type Page, type PageRequest } from '#kernel/page.ts'
import type { Plan } from '#kernel/plan.ts'
import type { Context } from '#platform/context.ts'
import type { Reader, Tx } from '#platform/db/database.ts'
import {
  findMemberWorkspace,
  insertMembership,
  insertWorkspace,
  listMemberWorkspaces,
  updateWorkspaceRow,
} from './store.ts'
import { roleFromRow, workspaceFromRow, type Workspace } from './workspace.ts'

/** A step: a workspace owned by the person who creates it. */
export async function addWorkspace(
  tx: Tx,
  now: number,
  input: { readonly ownerId: string; readonly name: string; readonly plan: Plan },
): Promise<Workspace> {
  const { name, plan } = input
  const id = newId(now)
  const row = { id, name, plan, created_at: now, updated_at: now, deleted_at: null }
  await insertWorkspace(tx, { ...row, billing_user_id: input.ownerId })
  await insertMembership(tx, {
    workspace_id: id,
    user_id: input.ownerId,
    role: 'owner',
    created_at: now,
  })
  return {
    id,
    name,
    plan,
    role: 'owner',
    billingUserId: input.ownerId,
    planIsOwn: false,
    ownersNeedSecondFactor: false,
    createdAt: now,
    updatedAt: now,
  }
}

/**
 * A new workspace on the instance's default plan, owned by the person who creates it.
 *
 * @throws Fault limit_reached
 */
export function createWorkspace(
  ctx: Pick<Context, 'db' | 'clock' | 'config'>,
  userId: string,
  { name }: { readonly name: string },
): Promise<Workspace> {
  const input = { ownerId: userId, name, plan: ctx.config.defaultPlan }
  return ctx.db.write(async (tx) => {
    await requireNewWorkspaceRoom(tx, ctx, userId)
    return await addWorkspace(tx, ctx.clock.now(), input)
  })
}

/** @throws Fault record_not_found when the person is not a member */
export async function getWorkspace(
  reader: Reader,
  userId: string,
  workspaceId: string,
): Promise<Workspace> {
  const row = await findMemberWorkspace(reader, userId, workspaceId)
  if (row === undefined) throw new Fault(commonFaults.record_not_found)
  return workspaceFromRow(row)
}

/** A person's role in a workspace; null for a stranger, and when the workspace is deleted. */
export async function roleIn(
  reader: Reader,
  userId: string,
  workspaceId: string,
): Promise<Role | null> {
  const row = await findMemberWorkspace(reader, userId, workspaceId)
  return row === undefined ? null : roleFromRow(row.role)
}

/**
 * The workspaces that a person is a member of, oldest first.
 *
 * @param among lists only those with these ids; undefined for all
 */
export function listWorkspaces(
  ctx: Pick<Context, 'db'>,
  userId: string,
  page: PageRequest,
  among?: readonly string[],
): Promise<Page<Workspace>> {
  return pageById(
    page,
    (window) => listMemberWorkspaces(ctx.db.read, { userId, among }, window),
    workspaceFromRow,
  )
}

export function updateWorkspace(
  ctx: Pick<Context, 'db' | 'clock'>,
  { userId, workspaceId }: { readonly userId: string; readonly workspaceId: string },
  { name }: { readonly name: string },
): Promise<Workspace> {
  return ctx.db.write(async (tx) => {
    // Started together, both are one packet on PostgreSQL.
    const [, workspace] = await Promise.all([
      updateWorkspaceRow(tx, workspaceId, { name, updated_at: ctx.clock.now() }),
      getWorkspace(tx, userId, workspaceId),
    ])
    return workspace
  })
}

/**
 * A step: the plan alone. Its credits belong to features/credits.
 *
 * @param isOwn true for a plan that was bought or that an operator assigned
 */
export function putOnPlan(
  tx: Tx,
  now: number,
  workspaceId: string,
  plan: Plan,
  isOwn = false,
): Promise<void> {
  return updateWorkspaceRow(tx, workspaceId, { plan, plan_is_own: Number(isOwn), updated_at: now })
}
