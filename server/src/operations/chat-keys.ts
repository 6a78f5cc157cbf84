import { z } from 'zod'
import {
  createChatKey,
  keyLifetimes,
  keyWorkspace,
  listChatKeys,
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

export const chatKeyOperations = [
  defineOperation({
    name: 'create_chat_key',
    title: 'Create chat key',
    description: "Creates a key for one agent's chat API. The key is shown this once.",
    toolset: 'apps',
    scope: 'apps:write',
    surfaces: peopleOnly,
    hints: hints.create,
    input: z.object({
      app_id: appId,
      name: z.string().trim().min(1).max(200),
      expires_in: z.enum(keyLifetimes).optional().describe('default: never'),
      expires_at: moment.optional().describe('A moment instead of expires_in'),
    }),
    output: agentKey.extend({ key: z.string() }),
    locate: locateAgent,
    run: async (ctx, { actor, workspaceId }, input) => {
      const author = { userId: actor.userId, workspaceId }
      const issued = await createChatKey(ctx, author, {
        appId: input.app_id,
        name: input.name,
        expiresIn: input.expires_in,
        expiresAt: input.expires_at,
      })
      return { ...showAgentKey(issued), key: issued.key }
    },
  }),
  defineOperation({
    name: 'list_chat_keys',
    title: 'List chat keys',
    description: 'Lists the chat keys of an agent that are not revoked, newest first.',
    toolset: 'apps',
    scope: 'apps:read',
    role: 'editor',
    surfaces: peopleOnly,
    hints: hints.read,
    input: z.object({ app_id: appId, ...paging }),
    output: listOf(agentKey),
    locate: locateAgent,
    run: async (ctx, { workspaceId }, input) =>
      listAnswer(await listChatKeys(ctx, workspaceId, input.app_id, input), showAgentKey),
  }),
  defineOperation({
    name: 'revoke_chat_key',
    title: 'Revoke chat key',
    description: 'Revokes a chat key. The next request with it is refused.',
    toolset: 'apps',
    scope: 'apps:write',
    surfaces: peopleOnly,
    hints: hints.remove,
    input: z.object({ id: recordId }),
    output: agentKey,
    locate: (ctx, input) => keyWorkspace(ctx, input.id),
    run: async (ctx, { workspaceId }, input) =>
      showAgentKey(await revokeKey(ctx, workspaceId, 'chat', input.id)),
  }),
]
