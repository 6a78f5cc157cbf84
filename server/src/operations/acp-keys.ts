import { z } from 'zod'
import {
  createAcpKey,
  keyLifetimes,
  keyWorkspace,
  listAcpKeys,
  revokeKey,
} from '#features/api-keys/index.ts'
import { agentKey, locateAgent, showAgentKey } from './agent-key.ts'
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
} from './operation.ts'

export const acpKeyOperations = [
  defineOperation({
    name: 'create_acp_key',
    title: 'Create checkout key',
    description: 'Creates a key with which shopping agents check out. The key is shown this once.',
    toolset: 'apps',
    scope: 'apps:write',
    surfaces: peopleOnly,
    hints: hints.create,
    input: z.object({
      app_id: appId,
      name: z.string().trim().min(1).max(200).default('Checkout key'),
      expires_in: z.enum(keyLifetimes).optional().describe('default: never'),
      expires_at: moment.optional().describe('A moment instead of expires_in'),
    }),
    output: agentKey.extend({ key: z.string() }),
    locate: locateAgent,
    run: async (ctx, { actor, workspaceId }, input) => {
      const author = { userId: actor.userId, workspaceId }
      const issued = await createAcpKey(ctx, author, {
        appId: input.app_id,
        name: input.name,
        expiresIn: input.expires_in,
        expiresAt: input.expires_at,
      })
      return { ...showAgentKey(issued), key: issued.key }
    },
  }),
  defineOperation({
    name: 'list_acp_keys',
    title: 'List checkout keys',
    description: 'Lists the checkout keys of an agent that are not revoked, newest first.',
    toolset: 'apps',
    scope: 'apps:read',
    role: 'editor',
    surfaces: peopleOnly,
    hints: hints.read,
    input: z.object({ app_id: appId, ...paging }),
    output: listOf(agentKey),
    locate: locateAgent,
    run: async (ctx, { workspaceId }, input) =>
      listAnswer(await listAcpKeys(ctx, workspaceId, input.app_id, input), showAgentKey),
  }),
  defineOperation({
    name: 'revoke_acp_key',
    title: 'Revoke checkout key',
    description: 'Revokes a checkout key. The next request with it is refused.',
    toolset: 'apps',
    scope: 'apps:write',
    surfaces: peopleOnly,
    hints: hints.remove,
    input: z.object({ id: recordId }),
    output: agentKey,
    locate: (ctx, input) => keyWorkspace(ctx, input.id),
    run: async (ctx, { workspaceId }, input) =>
      showAgentKey(await revokeKey(ctx, workspaceId, 'acp', input.id)),
  }),
]
