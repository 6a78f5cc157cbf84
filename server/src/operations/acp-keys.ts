import { z } from 'zod'
import { agentWorkspace } from '#features/agents/index.ts'
import {
  createAcpKey,
  keyLifetimes,
  keyWorkspace,
  listAcpKeys,
  revokeKey,
  type ApiKey,
} from '#features/api-keys/index.ts'
import type { Context } from '#platform/context.ts'
import {
  appId,
  defineOperation,
  hints,
  listAnswer,
  listOf,
  moment,
  paging,
  peopleOnly,
  recordId,
  timestamp,
} from './operation.ts'

const acpKey = z.strictObject({
  id: recordId,
  name: z.string(),
  app_id: recordId.nullable(),
  prefix: z.string(),
  last4: z.string().describe('The last four characters of the key'),
  created_at: timestamp,
  expires_at: timestamp.nullable(),
  last_used_at: timestamp.nullable().describe('To the minute'),
  revoked_at: timestamp.nullable(),
})

function show(key: ApiKey) {
  return {
    id: key.id,
    name: key.name,
    app_id: key.agentId,
    prefix: key.prefix,
    last4: key.last4,
    created_at: key.createdAt,
    expires_at: key.expiresAt,
    last_used_at: key.lastUsedAt,
    revoked_at: key.revokedAt,
  }
}

function locateAgent(ctx: Context, input: { app_id: string }) {
  return agentWorkspace(ctx, input.app_id)
}

export const acpKeyOperations = [
  defineOperation({
    name: 'create_acp_key',
    title: 'Create checkout key',
    description: 'Creates a key with which shopping agents check out. The key is shown this once.',
    toolset: 'apps',
    scope: 'apps:write',
    faces: peopleOnly,
    hints: hints.create,
    input: z.object({
      app_id: appId,
      name: z.string().trim().min(1).max(200).default('Checkout key'),
      expires_in: z.enum(keyLifetimes).optional().describe('default: never'),
      expires_at: moment.optional().describe('A moment instead of expires_in'),
    }),
    output: acpKey.extend({ key: z.string() }),
    locate: locateAgent,
    run: async (ctx, { actor, workspaceId }, input) => {
      const author = { userId: actor.userId, workspaceId }
      const issued = await createAcpKey(ctx, author, {
        appId: input.app_id,
        name: input.name,
        expiresIn: input.expires_in,
        expiresAt: input.expires_at,
      })
      return { ...show(issued), key: issued.key }
    },
  }),
  defineOperation({
    name: 'list_acp_keys',
    title: 'List checkout keys',
    description: 'Lists the checkout keys of an agent that are not revoked, newest first.',
    toolset: 'apps',
    scope: 'apps:read',
    role: 'editor',
    faces: peopleOnly,
    hints: hints.read,
    input: z.object({ app_id: appId, ...paging }),
    output: listOf(acpKey),
    locate: locateAgent,
    run: async (ctx, { workspaceId }, input) =>
      listAnswer(await listAcpKeys(ctx, workspaceId, input.app_id, input), show),
  }),
  defineOperation({
    name: 'revoke_acp_key',
    title: 'Revoke checkout key',
    description: 'Revokes a checkout key. The next request with it is refused.',
    toolset: 'apps',
    scope: 'apps:write',
    faces: peopleOnly,
    hints: hints.remove,
    input: z.object({ id: recordId }),
    output: acpKey,
    locate: (ctx, input) => keyWorkspace(ctx, input.id),
    run: async (ctx, { workspaceId }, input) =>
      show(await revokeKey(ctx, workspaceId, 'acp', input.id)),
  }),
]
