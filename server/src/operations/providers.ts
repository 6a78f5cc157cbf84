import { z } from 'zod'
import {
  connectionCauses,
  listModels,
  listProviderSettings,
  providerName,
  setProvider,
  testProvider,
  type ConnectionCause,
} from '#features/providers/index.ts'
import { aProvider } from './acts-on.ts'
import { defineOperation, hints, listAnswer, listOf, paging, peopleOnly } from './operation.ts'
import { showAs } from './show-as.ts'

const provider = z
  .string()
  .regex(providerName, 'must be lowercase letters, digits and hyphens, at most 40')

const model = z.strictObject({
  id: z.string().describe('What an agent takes as its model'),
  provider: z.string(),
  name: z.string().describe('What the provider calls it'),
  default: z.boolean().describe('New agents get it'),
  vision: z.boolean(),
  tools: z.boolean(),
})

const problem = z.strictObject({ provider: z.string(), message: z.string() })

/** Asks the providers themselves what they have. */
const asksProviders = { ...hints.read, openWorld: true } as const

const causeWords: Readonly<Record<ConnectionCause, string>> = {
  dns: 'The host has no address. Check how it is written, and that this machine can look it up.',
  refused: 'Nothing listens there. Check the port, and that the server runs.',
  unreachable:
    'It cannot be reached from here. An address inside a private network must be allowed by whoever runs this service, with OUTBOUND_ALLOW_PRIVATE; from a container, localhost is the container itself.',
  port: 'Only ports 80 and 443 may be typed here, unless whoever runs this service allows the host with OUTBOUND_ALLOW_PRIVATE.',
  timeout: 'It did not answer in time. Check the address, and that no firewall drops the way.',
  tls: 'No secure connection. Its certificate is not trusted here, or it speaks plain HTTP: then begin the address with http://.',
  key: 'It refused the key. Check that it is whole, not expired, and has credit.',
  path: 'Something answers there, but not as this provider. Check the path of the address: most end in /v1.',
  model: 'The connection works, but there is no such model. Check its name.',
  limited: 'It asks to slow down: the key is over its limit. Try again later.',
  provider: 'It answers with an error of its own. Try again later.',
  not_configured: 'It is not set up. Give it a key, or an address.',
}

const setting = z.strictObject({
  provider: z.string(),
  set_by: z.enum(['workspace', 'environment']).nullable(),
  base_url: z.string().nullable(),
  has_key: z.boolean(),
  built_in: z.boolean().describe('False for one of yours'),
})

const showSetting = showAs(setting)

const address = z.string().trim().min(1).max(2000)
const apiKey = z.string().trim().min(1).max(4000)

export const providerOperations = [
  defineOperation({
    name: 'list_models',
    title: 'List models',
    description:
      'Lists the models that the configured providers offer. Others of theirs work too: <provider>/<name>.',
    toolset: 'apps',
    scope: 'apps:read',
    hints: asksProviders,
    actsOn: aProvider,
    input: z.object({ provider: provider.optional().describe('Only this one'), ...paging }),
    output: listOf(model).extend({
      problems: z.array(problem).describe('Providers that could not be asked'),
    }),
    run: async (ctx, { workspaceId }, input) => {
      const found = await listModels(ctx, workspaceId, input)
      return { ...listAnswer(found, (one) => one), problems: [...found.problems] }
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
        'openai, ollama, anthropic, google, or a name of yours for a server that speaks the OpenAI format',
      ),
      api_key: z.string().trim().min(1).max(4000).nullish().describe('Stored sealed, never shown'),
      base_url: z.string().trim().min(1).max(2000).nullish().describe('Up to and including /v1'),
    }),
    output: z.strictObject({
      provider: z.string(),
      base_url: z.string().nullable(),
      has_key: z.boolean(),
    }),
    run: async (ctx, { workspaceId }, input) => {
      const change = { provider: input.provider, apiKey: input.api_key, baseUrl: input.base_url }
      const set = await setProvider(ctx, workspaceId, change)
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
      'Tries a provider as a turn would reach it, and names what is wrong. Give a key or address to try them before they are set.',
    toolset: 'workspace',
    scope: 'workspace:write',
    role: 'admin',
    surfaces: peopleOnly,
    hints: asksProviders,
    actsOn: aProvider,
    input: z.object({
      provider,
      base_url: address.optional(),
      api_key: apiKey.optional(),
      model: z
        .string()
        .trim()
        .min(1)
        .max(200)
        .optional()
        .describe('Asked for a word if not listed'),
    }),
    output: z.strictObject({
      ok: z.boolean(),
      cause: z.enum(connectionCauses).nullable(),
      message: z.string().nullable().describe('What is wrong, and the mend'),
      models: z.int().nullable().describe('How many it lists'),
      latency_ms: z.int(),
    }),
    run: async (ctx, { workspaceId, signal }, { base_url, api_key, ...input }) => {
      const tested = { ...input, baseUrl: base_url, apiKey: api_key }
      const { cause, modelCount, latencyMs } = await testProvider(ctx, workspaceId, tested, signal)
      const message = cause === null ? null : causeWords[cause]
      return { ok: cause === null, cause, message, models: modelCount, latency_ms: latencyMs }
    },
  }),
]
