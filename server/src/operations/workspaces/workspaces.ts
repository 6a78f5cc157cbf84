import { z } from 'zod'
import { changePlan } from '#features/credits/index.ts'
import {
  createWorkspace,
  deleteWorkspace,
  getWorkspace,
  listDeletedWorkspaces,
  listWorkspaces,
  restoreWorkspace,
  setFactorOfOwners,
  updateWorkspace,
} from '#features/workspaces/index.ts'
import { roles } from '#kernel/actor.ts'
import { planNames } from '#kernel/plan.ts'
import { workspacesWithin } from '#kernel/reach.ts'
import { itsId } from '#operations/acts-on.ts'
import { changesWorkspace, itsCreatedId, type Audit } from '#operations/audited.ts'
import {
  defineOperation,
  hints,
  memberOf,
  listAnswer,
  listOf,
  paging,
  peopleOnly,
  recordId,
  timestamp,
} from '#operations/operation.ts'
import { showAs } from '#operations/show-as.ts'

const workspace = z.strictObject({
  id: recordId,
  name: z.string(),
  plan: z.enum(planNames),
  role: z.enum(roles).describe('Your role in it'),
  owners_need_second_factor: z
    .boolean()
    .describe('Whether its owners may do nothing in it without a second factor'),
  created_at: timestamp,
  updated_at: timestamp,
})

const name = z.string().trim().min(1).max(200)

const show = showAs(workspace)

const deletedWorkspace = z.strictObject({
  id: recordId,
  name: z.string(),
  deleted_at: timestamp,
  restorable_until: timestamp.describe('After that, its data is deleted for good'),
})

const showDeleted = showAs(deletedWorkspace)

const createsWorkspace: Audit<unknown> = {
  createdId: (result) => itsCreatedId.parse(result),
  record: ({ createdId }) =>
    createdId === null ? null : { table: 'workspaces', where: { id: createdId } },
  isInCreated: true,
}

/** The user's call names another workspace than the restored one, so the event is filed there. */
const restoresWorkspace: Audit<{ readonly id: string }> = {
  record: ({ input }) => ({ table: 'workspaces', where: { id: input.id } }),
  isInCreated: true,
}

export const workspaceOperations = [
  defineOperation({
    name: 'create_workspace',
    title: 'Create workspace',
    description: 'Creates a workspace that you own.',
    toolset: 'workspace',
    scope: 'workspace:write',
    role: 'viewer',
    personal: true,
    hints: hints.create,
    audit: createsWorkspace,
    input: z.object({ name }),
    output: workspace,
    run: async (ctx, { actor }, input) => show(await createWorkspace(ctx, actor.userId, input)),
  }),
  defineOperation({
    name: 'get_workspace',
    title: 'Get workspace',
    description: 'Shows a workspace: its name, its plan and your role in it.',
    toolset: 'workspace',
    scope: 'workspace:read',
    reach: 'part',
    hints: hints.read,
    input: z.object({}),
    output: workspace,
    run: async (ctx, { actor, workspaceId }) =>
      show(await getWorkspace(ctx.db.read, actor.userId, workspaceId)),
  }),
  defineOperation({
    name: 'list_workspaces',
    title: 'List workspaces',
    description: 'Lists the workspaces that you are a member of, oldest first.',
    toolset: 'workspace',
    scope: 'workspace:read',
    personal: true,
    reach: 'part',
    hints: hints.read,
    input: z.object(paging),
    output: listOf(workspace),
    run: async (ctx, { actor: { userId, reach } }, input) => {
      const among = reach === undefined ? undefined : workspacesWithin(reach)
      return listAnswer(await listWorkspaces(ctx, userId, input, among), show)
    },
  }),
  defineOperation({
    name: 'update_workspace',
    title: 'Update workspace',
    description: 'Renames a workspace.',
    toolset: 'workspace',
    scope: 'workspace:write',
    role: 'admin',
    hints: hints.update,
    audit: changesWorkspace,
    input: z.object({ name }),
    output: workspace,
    run: async (ctx, call, input) => show(await updateWorkspace(ctx, memberOf(call), input)),
  }),
  defineOperation({
    name: 'set_second_factor_requirement',
    title: 'Set second factor requirement',
    description:
      'Sets whether a workspace requires a second factor of its owners, you included. Owners without one can then do nothing in it until they add one.',
    toolset: 'workspace',
    scope: 'workspace:write',
    role: 'owner',
    surfaces: peopleOnly,
    needsConfirmation: true,
    hints: hints.update,
    audit: changesWorkspace,
    input: z.object({ required: z.boolean() }),
    output: workspace,
    run: async (ctx, call, { required }) =>
      show(await setFactorOfOwners(ctx, memberOf(call), required)),
  }),
  defineOperation({
    name: 'set_plan',
    title: 'Set plan',
    description:
      'Changes a workspace’s plan, up to the plan of new workspaces. A smaller plan removes nothing that exists.',
    toolset: 'billing',
    scope: 'workspace:write',
    role: 'owner',
    surfaces: peopleOnly,
    hints: hints.update,
    audit: changesWorkspace,
    input: z.object({ plan: z.enum(planNames) }),
    output: workspace,
    run: async (ctx, call, input) => show(await changePlan(ctx, memberOf(call), input)),
  }),
  defineOperation({
    name: 'delete_workspace',
    title: 'Delete workspace',
    description:
      'Deletes a workspace: everything in it stops at once. Its owners can restore it for a limited time.',
    toolset: 'workspace',
    scope: 'workspace:write',
    role: 'owner',
    surfaces: peopleOnly,
    needsConfirmation: true,
    hints: hints.remove,
    audit: changesWorkspace,
    input: z.object({
      confirm_name: z.string().max(200).describe('The name of the workspace, as confirmation'),
    }),
    output: deletedWorkspace,
    run: async (ctx, call, input) =>
      showDeleted(await deleteWorkspace(ctx, memberOf(call), input.confirm_name)),
  }),
  defineOperation({
    name: 'list_deleted_workspaces',
    title: 'List deleted workspaces',
    description: 'Lists the deleted workspaces that you own and can restore.',
    toolset: 'workspace',
    scope: 'workspace:read',
    personal: true,
    surfaces: peopleOnly,
    hints: hints.read,
    input: z.object(paging),
    output: listOf(deletedWorkspace),
    run: async (ctx, { actor }, input) =>
      listAnswer(await listDeletedWorkspaces(ctx, actor.userId, input), showDeleted),
  }),
  defineOperation({
    name: 'restore_workspace',
    title: 'Restore workspace',
    description: 'Restores a deleted workspace that you own, with everything in it.',
    toolset: 'workspace',
    scope: 'workspace:write',
    role: 'viewer',
    personal: true,
    surfaces: peopleOnly,
    hints: hints.update,
    audit: restoresWorkspace,
    actsOn: itsId,
    input: z.object({ id: recordId }),
    output: workspace,
    run: async (ctx, { actor }, input) => show(await restoreWorkspace(ctx, actor.userId, input.id)),
  }),
]
