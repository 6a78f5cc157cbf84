import { z } from 'zod'
import { listModels, providerName, setProvider } from '#features/providers/index.ts'
import {
  defineOperation,
  hints,
  listAnswer,
  listOf,
  paging,
  peopleOnly,
  type OperationHints,
} from './operation.ts'

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
const asksProviders: OperationHints = { ...hints.read, openWorld: true }

export const providerOperations = [
  defineOperation({
    name: 'list_models',
    title: 'List models',
    description:
      'Lists the models that the configured providers offer. Others of theirs work too: <provider>/<name>.',
    toolset: 'apps',
    scope: 'apps:read',
    hints: asksProviders,
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
    faces: peopleOnly,
    hints: hints.update,
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
]
