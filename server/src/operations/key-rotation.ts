import { z } from 'zod'
import { keepKey, listKeysToRotate, rotationReasons } from '#features/api-keys/index.ts'
import { aKey } from './acts-on.ts'
import { changes } from './audited.ts'
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

export const keyToRotate = z.strictObject({
  id: recordId,
  kind: z.enum(['chat', 'acp']),
  name: z.string(),
  last4: z.string(),
  workspace_id: recordId,
  app_id: recordId,
  agent_name: z.string(),
  app_name_id: z.string(),
  created_by: z
    .strictObject({ id: recordId, name: z.string(), email: z.string() })
    .describe('The only person who was shown the key'),
  created_at: timestamp,
  last_used_at: timestamp.nullable().describe('Accurate to the minute'),
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
      'Lists working chat and checkout keys that a former member, or another holder of a member’s account, knows. Replace them, or use keep_key.',
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
]
