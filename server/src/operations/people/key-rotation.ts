import { z } from 'zod'
import {
  keepKey,
  keepPageSecret,
  listKeysToRotate,
  rotationReasons,
} from '#features/api-keys/index.ts'
import { aKey, aKnownSecret } from '#operations/acts-on.ts'
import { changes } from '#operations/audited.ts'
import {
  defineOperation,
  hints,
  listAnswer,
  listOf,
  paging,
  peopleOnly,
  recordId,
  timestamp,
} from '#operations/operation.ts'
import { showAs } from '#operations/show-as.ts'

export const keyToRotate = z.strictObject({
  id: recordId,
  kind: z
    .enum(['chat', 'acp', 'identity', 'link'])
    .describe('identity and link: secrets of a chat page'),
  name: z.string().describe('Of a secret of a chat page: the agent’s'),
  last4: z.string().nullable().describe('Null for a secret of a chat page'),
  workspace_id: recordId,
  app_id: recordId,
  agent_name: z.string(),
  app_name_id: z.string(),
  created_by: z
    .strictObject({ id: recordId, name: z.string(), email: z.string() })
    .describe('Who was shown it: of a key, only its creator'),
  created_at: timestamp.describe('Of a secret of a chat page: when the person was first shown it'),
  last_used_at: timestamp.nullable().describe('Accurate to the minute; only of keys'),
  since: timestamp,
  reason: z.enum(rotationReasons),
})

export const showKeyToRotate = showAs(keyToRotate)

const common = { toolset: 'workspace', surfaces: peopleOnly, role: 'owner' } as const

export const keyRotationOperations = [
  defineOperation({
    ...common,
    name: 'list_keys_to_rotate',
    title: 'List keys to rotate',
    description:
      'Lists working keys and secrets of chat pages that a former member or editor, or another holder of a member’s account, knows. Replace or keep each.',
    scope: 'workspace:read',
    hints: hints.read,
    input: z.object(paging),
    output: listOf(keyToRotate),
    run: async (ctx, { workspaceId }, page) =>
      listAnswer(await listKeysToRotate(ctx, workspaceId, page), showKeyToRotate),
  }),
  defineOperation({
    ...common,
    name: 'keep_key',
    title: 'Keep key',
    description: 'Takes a chat or checkout key off the list of keys to rotate. It keeps working.',
    scope: 'workspace:write',
    hints: hints.update,
    audit: changes('api_keys', 'id'),
    actsOn: aKey,
    input: z.object({ id: recordId }),
    output: z.strictObject({ id: recordId, name: z.string() }),
    run: async (ctx, { workspaceId }, input) => {
      const { id, name } = await keepKey(ctx, workspaceId, input.id)
      return { id, name }
    },
  }),
  defineOperation({
    ...common,
    name: 'keep_page_secret',
    title: 'Keep secret of a chat page',
    description:
      'Takes a secret of a chat page off the list of keys to rotate, for one person who knows it. It keeps working.',
    scope: 'workspace:write',
    hints: hints.update,
    audit: changes('known_secrets', 'id'),
    actsOn: aKnownSecret,
    input: z.object({ id: recordId }),
    output: z.strictObject({ id: recordId, app_id: recordId, kind: z.enum(['identity', 'link']) }),
    run: async (ctx, { workspaceId }, input) => {
      const { id, agentId, kind } = await keepPageSecret(ctx, workspaceId, input.id)
      return { id, app_id: agentId, kind }
    },
  }),
]
