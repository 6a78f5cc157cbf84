import { z } from 'zod'
import { listConnectedApps, revokeConnectedApp } from '#features/grants/index.ts'
import { allScopes } from '#kernel/scope.ts'
import { itsId } from './acts-on.ts'
import {
  defineOperation,
  hints,
  listAnswer,
  listOf,
  paging,
  peopleOnly,
  recordId,
  timestamp,
} from './operation.ts'
import { showAs } from './show-as.ts'

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
  last_used_at: timestamp.nullable().describe('Accurate to the minute'),
  revoked_at: timestamp.nullable(),
})

const show = showAs(connectedApp)

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
    run: async (ctx, { actor }, input) =>
      listAnswer(await listConnectedApps(ctx, actor.userId, input), show),
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
    run: async (ctx, { actor }, input) =>
      show(await revokeConnectedApp(ctx, actor.userId, input.id)),
  }),
]
