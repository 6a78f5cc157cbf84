import { z } from 'zod'
import {
  createAgentKey,
  keyLifetimes,
  listAgentKeys,
  revokeAgentKey,
  type AgentKeyKind,
} from '#features/api-keys/index.ts'
import { camelKeys } from '#kernel/key-case.ts'
import { aKey, anAgent } from '#operations/acts-on.ts'
import { changes, creates } from '#operations/audited.ts'
import { allowedAddresses, keyProtection, lastUse } from '#operations/people/key-fields.ts'
import {
  appId,
  defineOperation,
  hints,
  listAnswer,
  listOf,
  memberOf,
  moment,
  paging,
  peopleOnly,
  recordId,
  timestamp,
} from '#operations/operation.ts'
import { showAs } from '#operations/show-as.ts'

const agentKey = z.strictObject({
  id: recordId,
  name: z.string(),
  app_id: recordId.nullable(),
  prefix: z.string(),
  last4: z.string().describe('The last four characters of the key'),
  created_at: timestamp,
  expires_at: timestamp.nullable(),
  ...keyProtection,
  ...lastUse,
  revoked_at: timestamp.nullable(),
})

const show = showAs(agentKey)

const keyName = z.string().trim().min(1).max(200)
const common = { toolset: 'apps', surfaces: peopleOnly } as const

function createKey(
  kind: AgentKeyKind,
  words: { title: string; purpose: string; name: z.ZodType<string> },
) {
  return defineOperation({
    ...common,
    name: `create_${kind}_key`,
    title: `Create ${words.title}`,
    description: `Creates a key ${words.purpose}. The key is shown only now.`,
    scope: 'apps:write',
    needsConfirmation: true,
    hints: hints.create,
    audit: creates('api_keys'),
    input: z.object({
      app_id: appId,
      name: words.name,
      expires_in: z.enum(keyLifetimes).optional().describe('default: never'),
      expires_at: moment.optional().describe('A time, instead of expires_in'),
      allowed_addresses: allowedAddresses,
    }),
    output: agentKey.extend({ key: z.string() }),
    actsOn: anAgent,
    run: async (ctx, call, input) => {
      const issued = await createAgentKey(ctx, memberOf(call), { kind, ...camelKeys(input) })
      return { ...show(issued), key: issued.key }
    },
  })
}

function listKeys(kind: AgentKeyKind, title: string) {
  return defineOperation({
    ...common,
    name: `list_${kind}_keys`,
    title: `List ${title}s`,
    description: `Lists the ${title}s of an agent that are not revoked, newest first.`,
    scope: 'apps:read',
    role: 'editor',
    hints: hints.read,
    input: z.object({ app_id: appId, ...paging }),
    output: listOf(agentKey),
    actsOn: anAgent,
    run: async (ctx, { workspaceId }, { app_id, ...page }) =>
      listAnswer(await listAgentKeys(ctx, workspaceId, { kind, appId: app_id }, page), show),
  })
}

function revokeKey(kind: AgentKeyKind, title: string) {
  return defineOperation({
    ...common,
    name: `revoke_${kind}_key`,
    title: `Revoke ${title}`,
    description: `Revokes a ${title}. It stops working at once.`,
    scope: 'apps:write',
    hints: hints.remove,
    audit: changes('api_keys', 'id'),
    input: z.object({ id: recordId }),
    output: agentKey,
    actsOn: aKey,
    run: async (ctx, { workspaceId }, input) =>
      show(await revokeAgentKey(ctx, workspaceId, kind, input.id)),
  })
}

const chat = { title: 'chat key', purpose: "for one agent's chat API", name: keyName }
const checkout = {
  title: 'checkout key',
  purpose: 'that shopping agents use to check out',
  name: keyName.default('Checkout key'),
}

export const chatKeyOperations = [
  createKey('chat', chat),
  listKeys('chat', chat.title),
  revokeKey('chat', chat.title),
]

export const acpKeyOperations = [
  createKey('acp', checkout),
  listKeys('acp', checkout.title),
  revokeKey('acp', checkout.title),
]
