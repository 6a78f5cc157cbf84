import { z } from 'zod'
import {
  connectionCauses,
  listModels,
  listProviderSettings,
  setProvider,
  testProvider,
  type ConnectionCause,
} from '#features/providers/index.ts'
import { camelKeys } from '#kernel/key-case.ts'
import { providerName } from '#kernel/model-id.ts'
import { aProvider } from '#operations/acts-on.ts'
import {
  defineOperation,
  hints,
  listAnswer,
  listOf,
  paging,
  peopleOnly,
} from '#operations/operation.ts'
import { showAs } from '#operations/show-as.ts'

const provider = z
  .string()
  .regex(providerName, 'must be lowercase letters, digits and hyphens, at most 40')

const model = z.strictObject({
  id: z.string().describe('The value for an agent’s model'),
  provider: z.string(),
  name: z.string().describe('What the provider calls it'),
  default: z.boolean().describe('True for the model of new agents'),
  vision: z.boolean(),
  audio: z.boolean(),
  tools: z.boolean(),
})

const problem = z.strictObject({ provider: z.string(), message: z.string() })

const asksProviders = { ...hints.read, openWorld: true } as const

const causeWords: Readonly<Record<ConnectionCause, string>> = {
  dns: 'The host name was not found. Check its spelling, and that this machine can look it up.',
  refused: 'No server listens at this address. Check the port, and that the server runs.',
  unreachable:
    'The host was not found or cannot be reached from here. Check its spelling. The operator must allow an address inside a private network with OUTBOUND_ALLOW_PRIVATE. In a container, localhost is the container itself.',
  port: 'Only ports 80 and 443 are allowed here, unless the operator allows the host with OUTBOUND_ALLOW_PRIVATE.',
  timeout: 'It did not answer in time. Check the address, and that no firewall blocks it.',
  tls: 'The connection is not secure. The certificate is not trusted here, or the server speaks plain HTTP: in that case, begin the address with http://.',
  key: 'It refused the key. Check that the key is complete, has not expired, and has credit.',
  path: 'A server answers, but not as this provider. Check the path of the address: most end in /v1. If it lists no models, give one by its name.',
  model: 'The connection works, but the provider has no such model. Check its name.',
  limited: 'The key is over its rate limit. Try again later.',
  provider: 'It answered with an error of its own. Try again later.',
  not_configured: 'It is not set up. Give it a key or an address.',
}

const setting = z.strictObject({
  provider: z.string(),
  set_by: z.enum(['workspace', 'environment']).nullable(),
  base_url: z.string().nullable(),
  has_key: z.boolean(),
  built_in: z.boolean().describe('False for a provider that the workspace added'),
})

const showSetting = showAs(setting)

const address = z.string().trim().min(1).max(2000)
const apiKey = z.string().trim().min(1).max(4000)

/** Whether the input of set_provider sets a key or an address; null only removes. */
function setsAccess(input: unknown): boolean {
  if (typeof input !== 'object' || input === null) return false
  const given = new Map(Object.entries(input))
  return ['api_key', 'base_url'].some((field) => (given.get(field) ?? null) !== null)
}

export const providerOperations = [
  defineOperation({
    name: 'list_models',
    title: 'List models',
    description:
      'Lists the models that the configured providers offer. A model that a provider does not list works too, as <provider>/<name>.',
    toolset: 'apps',
    scope: 'apps:read',
    hints: asksProviders,
    actsOn: aProvider,
    reach: 'part',
    input: z.object({ provider: provider.optional().describe('Only this provider'), ...paging }),
    output: listOf(model).extend({
      problems: z.array(problem).describe('Providers that could not be asked'),
    }),
    run: async (ctx, { workspaceId }, input) => {
      const found = await listModels(ctx, workspaceId, input)
      const problems = found.problems.map(({ provider, cause }) => ({
        provider,
        message: causeWords[cause],
      }))
      return { ...listAnswer(found, (one) => one), problems }
    },
  }),
  defineOperation({
    name: 'set_provider',
    title: 'Set model provider',
    description:
      "Sets a workspace's own key or address for a provider; null removes it. A new address forgets the stored key unless one comes with it.",
    toolset: 'workspace',
    scope: 'workspace:write',
    role: 'admin',
    surfaces: peopleOnly,
    needsConfirmation: setsAccess,
    hints: hints.update,
    audit: {
      record: ({ workspaceId, input }) => ({
        table: 'model_providers',
        where: { workspace_id: workspaceId, provider: input.provider },
      }),
    },
    actsOn: aProvider,
    input: z.object({
      provider: provider.describe(
        'A name that list_providers shows, or a new one for a server that speaks the OpenAI format',
      ),
      api_key: apiKey.nullish().describe('Stored encrypted, never shown'),
      base_url: address.nullish().describe('Up to and including /v1'),
    }),
    output: z.strictObject({
      provider: z.string(),
      base_url: z.string().nullable(),
      has_key: z.boolean(),
    }),
    run: async (ctx, { workspaceId }, input) => {
      const set = await setProvider(ctx, workspaceId, camelKeys(input))
      return { provider: set.provider, base_url: set.baseUrl, has_key: set.hasKey }
    },
  }),
  defineOperation({
    name: 'list_providers',
    title: 'List model providers',
    description: 'Lists the model providers and how each is reached, without their keys.',
    toolset: 'workspace',
    scope: 'workspace:read',
    surfaces: peopleOnly,
    hints: hints.read,
    input: z.object(paging),
    output: listOf(setting),
    run: async (ctx, { workspaceId }, page) =>
      listAnswer(await listProviderSettings(ctx, workspaceId, page), showSetting),
  }),
  defineOperation({
    name: 'test_provider',
    title: 'Test model provider',
    description:
      'Tests a provider the way a turn would reach it, and explains what is wrong. Give a key or address to test them before they are saved.',
    toolset: 'workspace',
    scope: 'workspace:write',
    role: 'admin',
    surfaces: peopleOnly,
    hints: asksProviders,
    actsOn: aProvider,
    input: z.object({
      provider,
      base_url: address.nullish().describe('Null tests the provider’s own address'),
      api_key: apiKey.optional(),
      model: z
        .string()
        .trim()
        .min(1)
        .max(200)
        .optional()
        .describe('Called once if the provider does not list it'),
    }),
    output: z.strictObject({
      ok: z.boolean(),
      cause: z.enum(connectionCauses).nullable(),
      message: z.string().nullable().describe('What is wrong, and how to fix it'),
      models: z.int().nullable().describe('How many it lists'),
      latency_ms: z.int(),
    }),
    run: async (ctx, { workspaceId, signal }, input) => {
      const tested = camelKeys(input)
      const { cause, modelCount, latencyMs } = await testProvider(ctx, workspaceId, tested, signal)
      const message = cause === null ? null : causeWords[cause]
      return { ok: cause === null, cause, message, models: modelCount, latency_ms: latencyMs }
    },
  }),
]
