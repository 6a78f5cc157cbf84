import { z } from 'zod'
import { listConnectedApps, revokeConnectedApp, type ConnectedApp } from '#features/grants/index.ts'
import { describeReaches } from '#features/reach/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { allScopes } from '#kernel/scope.ts'
import type { Context } from '#platform/context.ts'
import { itsId } from '#operations/acts-on.ts'
import { lastUse, reach } from './key-fields.ts'
import {
  defineOperation,
  hints,
  listOf,
  paging,
  peopleOnly,
  recordId,
  timestamp,
  type Call,
} from '#operations/operation.ts'
import { showAs } from '#operations/show-as.ts'

const connectedApp = z.strictObject({
  id: recordId,
  client_id: z.string(),
  name: z.string().describe('The name that the application gave itself'),
  returns_to: z.string().describe('Where it sent you after you authorized it'),
  scopes: z.array(z.enum(allScopes)),
  workspace_id: recordId.describe('Used unless a call names another workspace'),
  created_at: timestamp,
  expires_at: timestamp.describe(
    'When it must be authorized again, unless it refreshes before then',
  ),
  reach,
  ...lastUse,
  revoked_at: timestamp.nullable(),
})

const named = showAs(connectedApp)

async function showAll(ctx: Context, { actor }: Call, apps: readonly ConnectedApp[]) {
  return (await describeReaches(ctx, actor.userId, apps)).map(named)
}

async function show(ctx: Context, call: Call, app: ConnectedApp) {
  const [shown] = await showAll(ctx, call, [app])
  if (shown === undefined) throw new Fault(commonFaults.record_not_found)
  return shown
}

export const connectedAppOperations = [
  defineOperation({
    name: 'list_connected_apps',
    title: 'List connected apps',
    description: 'Lists the applications that can act for you, newest first.',
    toolset: 'workspace',
    scope: 'workspace:read',
    personal: true,
    surfaces: peopleOnly,
    hints: hints.read,
    input: z.object(paging),
    output: listOf(connectedApp),
    run: async (ctx, call, input) => {
      const page = await listConnectedApps(ctx, call.actor.userId, input)
      return { items: await showAll(ctx, call, page.items), next_cursor: page.nextCursor }
    },
  }),
  defineOperation({
    name: 'revoke_connected_app',
    title: 'Revoke connected app',
    description: 'Revokes an application’s access. It ends at once.',
    toolset: 'workspace',
    scope: 'workspace:write',
    personal: true,
    surfaces: peopleOnly,
    hints: hints.remove,
    audit: {
      record: ({ userId, input }) => ({
        table: 'oauth_grants',
        where: { id: input.id, user_id: userId },
      }),
    },
    actsOn: itsId,
    input: z.object({ id: recordId }),
    output: connectedApp,
    run: async (ctx, call, input) =>
      show(ctx, call, await revokeConnectedApp(ctx, call.actor.userId, input.id)),
  }),
]
