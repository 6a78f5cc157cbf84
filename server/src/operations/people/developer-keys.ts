import { z } from 'zod'
import {
  createDeveloperKey,
  deleteDeveloperKey,
  keyLifetimes,
  listDeveloperKeys,
  type DeveloperKey,
} from '#features/api-keys/index.ts'
import { describeReaches } from '#features/reach/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { camelKeys } from '#kernel/key-case.ts'
import { allScopes } from '#kernel/scope.ts'
import type { Context } from '#platform/context.ts'
import { aKey } from '#operations/acts-on.ts'
import { changes, creates } from '#operations/audited.ts'
import { allowedAddresses, keyProtection, lastUse, pickedReach, reach } from './key-fields.ts'
import {
  defineOperation,
  hints,
  listOf,
  moment,
  paging,
  peopleOnly,
  recordId,
  timestamp,
  type Call,
} from '#operations/operation.ts'
import { showAs } from '#operations/show-as.ts'

const scopes = z.array(z.enum(allScopes))

const developerKey = z.strictObject({
  id: recordId,
  name: z.string(),
  workspace_id: recordId.describe('Used unless a call names another workspace'),
  user_id: recordId,
  user_email: z.string().describe('The user that it acts as'),
  scopes,
  prefix: z.string(),
  last4: z.string().describe('The last four characters of the key'),
  created_at: timestamp,
  expires_at: timestamp.nullable(),
  reach,
  ...keyProtection,
  ...lastUse,
  deleted_at: timestamp.nullable(),
})

const named = showAs(developerKey)

async function showAll(ctx: Context, { actor }: Call, keys: readonly DeveloperKey[]) {
  const described = await describeReaches(ctx, actor.userId, keys)
  return described.map(({ user, revokedAt: deletedAt, ...key }) =>
    named({ ...key, userId: user.id, userEmail: user.email, deletedAt }),
  )
}

async function show(ctx: Context, call: Call, key: DeveloperKey) {
  const [shown] = await showAll(ctx, call, [key])
  if (shown === undefined) throw new Fault(commonFaults.record_not_found)
  return shown
}

function holder({ actor, workspaceId, role }: Call) {
  return { userId: actor.userId, workspaceId, role }
}

/** A key can do no more than its user, so viewers may create keys too. */
const everybody = 'viewer'

const common = { toolset: 'workspace', surfaces: peopleOnly } as const

export const developerKeyOperations = [
  defineOperation({
    ...common,
    name: 'create_developer_key',
    title: 'Create developer key',
    description:
      'Creates a key that lets a program act as you on the MCP server. The key is shown only now.',
    scope: 'workspace:write',
    role: everybody,
    // The new key could reach more than the credential that creates it.
    reach: 'everything',
    needsConfirmation: true,
    hints: hints.create,
    audit: creates('api_keys'),
    input: z.object({
      name: z.string().trim().min(1).max(200),
      scopes: scopes.min(1).optional().describe('default: ["*"], all'),
      expires_in: z.enum(keyLifetimes).optional().describe('default: never'),
      expires_at: moment.optional().describe('A time, instead of expires_in'),
      ...pickedReach,
      allowed_addresses: allowedAddresses,
    }),
    output: developerKey.extend({ key: z.string() }),
    run: async (ctx, call, input) => {
      const issued = await createDeveloperKey(ctx, holder(call), camelKeys(input))
      return { ...(await show(ctx, call, issued)), key: issued.key }
    },
  }),
  defineOperation({
    ...common,
    name: 'list_developer_keys',
    title: 'List developer keys',
    description:
      'Lists your developer keys in a workspace, newest first. Owners and admins see those of all members.',
    scope: 'workspace:read',
    hints: hints.read,
    input: z.object(paging),
    output: listOf(developerKey),
    run: async (ctx, call, input) => {
      const page = await listDeveloperKeys(ctx, holder(call), input)
      return { items: await showAll(ctx, call, page.items), next_cursor: page.nextCursor }
    },
  }),
  defineOperation({
    ...common,
    name: 'delete_developer_key',
    title: 'Delete developer key',
    description: 'Deletes a developer key. It stops working at once.',
    scope: 'workspace:write',
    role: everybody,
    hints: hints.remove,
    audit: changes('api_keys', 'id'),
    input: z.object({ id: recordId }),
    output: developerKey,
    actsOn: aKey,
    run: async (ctx, call, input) =>
      show(ctx, call, await deleteDeveloperKey(ctx, holder(call), input.id)),
  }),
]
