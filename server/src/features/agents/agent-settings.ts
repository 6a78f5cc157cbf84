import { z } from 'zod'
import { parsingOnce } from '#kernel/parsing-once.ts'

/** Longest system prompt, in UTF-16 code units: about 16,000 tokens of English. */
const maxSystemPromptLength = 64_000

/** What a chat request may change for its own turn. */
export const requestOverrides = [
  'tools',
  'tool_choice',
  'response_format',
  'sampling',
  'max_tokens',
  'instructions',
] as const

/** What stands in for the messages of a long session that the model no longer reads. */
export const memoryModes = ['none', 'summary'] as const

/** What callers may set a number to, both ends included; null for what OpenAI allows. */
const boundsWithin = (most: number) =>
  z
    .strictObject({ min: z.number().min(0).max(most), max: z.number().min(0).max(most) })
    .refine(({ min, max }) => min <= max, { error: 'min must not be above max' })
    .nullable()

/** The settings of an agent, with their names on the wire and in the stored JSON. */
export const settingFields = {
  name: z.string().trim().min(1).max(200).describe('Shown to people; at most 200 characters'),
  description: z.string().max(2000).describe('What the agent is for'),
  system_prompt: z
    .string()
    .max(maxSystemPromptLength)
    .describe(`Instructions to the model; at most ${maxSystemPromptLength} characters`),
  model: z.string().max(200).describe('<provider>/<model>; see list_models'),
  fallback_models: z
    .array(z.string().max(200))
    .max(5)
    .describe('Models that answer, in this order, while `model` is unavailable'),
  temperature: z.number().min(0).max(2).nullable().describe("null: the model's own"),
  max_output_tokens: z.int().min(1).max(1_000_000).nullable().describe("null: the model's own"),
  greeting: z.string().max(2000).describe('Shown before the first message'),
  suggestions: z
    .array(z.string().trim().min(1).max(200))
    .max(10)
    .describe('Questions offered to a visitor; at most 10'),
  max_tool_steps: z
    .int()
    .min(0)
    .max(20)
    .describe('How often a turn may call actions before it must answer; 0 for never'),
  retention_days: z
    .int()
    .min(1)
    .max(36_500)
    .nullable()
    .describe('Conversations silent for longer are deleted; null keeps them'),
  allow_request_overrides: z
    .array(z.enum(requestOverrides))
    .max(requestOverrides.length)
    .describe('What a chat request may set for its own turn; [] for nothing'),
  temperature_bounds: boundsWithin(2).describe('What a request may set temperature to'),
  top_p_bounds: boundsWithin(1).describe('What a request may set top_p to'),
  memory: z
    .enum(memoryModes)
    .describe('summary: a model sums up messages of long sessions that are no longer sent'),
  memory_model: z.string().max(200).nullable().describe("Writes summaries; null: the agent's"),
  store_reasoning: z.boolean().describe("Stores the model's reasoning with its answers"),
}

/** How knowledge is searched: by words, by meaning, or both; without vectors, always by words. */
export const retrievalModes = ['hybrid', 'fulltext', 'vector'] as const

const retrievalFields = {
  mode: z.enum(retrievalModes),
  top_k: z.int().min(1).max(20).describe('Passages of knowledge given to the model'),
  min_score: z.number().min(0).max(1_000_000).describe('Passages that score less are left out'),
  vector_weight: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .describe(
      'What vectors count for in hybrid beside words, which count 1; null decides by question',
    ),
}

/**
 * An agent's settings as stored. Every field but the name and the model has a default, so that a
 * field added later needs no migration.
 */
export const agentSettings = z.object({
  name: settingFields.name,
  description: settingFields.description.default(''),
  system_prompt: settingFields.system_prompt.default(''),
  model: settingFields.model,
  fallback_models: settingFields.fallback_models.default([]),
  temperature: settingFields.temperature.default(null),
  max_output_tokens: settingFields.max_output_tokens.default(null),
  greeting: settingFields.greeting.default(''),
  suggestions: settingFields.suggestions.default([]),
  max_tool_steps: settingFields.max_tool_steps.default(5),
  retention_days: settingFields.retention_days.default(null),
  allow_request_overrides: settingFields.allow_request_overrides.default(
    requestOverrides.filter((one) => one !== 'instructions'),
  ),
  temperature_bounds: settingFields.temperature_bounds.default(null),
  top_p_bounds: settingFields.top_p_bounds.default(null),
  memory: settingFields.memory.default('none'),
  memory_model: settingFields.memory_model.default(null),
  store_reasoning: settingFields.store_reasoning.default(false),
  retrieval: z
    .object({
      mode: retrievalFields.mode.default('hybrid'),
      top_k: retrievalFields.top_k.default(5),
      min_score: retrievalFields.min_score.default(0),
      vector_weight: retrievalFields.vector_weight.default(null),
    })
    .prefault({}),
})

/** Some of the settings; no defaults, because a field that is left out stays as it is. */
export const agentPatch = z
  .object({ ...settingFields, retrieval: z.strictObject(retrievalFields).partial() })
  .partial()

/** All readers of the same text share one object: never change it. */
export type AgentSettings = DeepReadonly<z.output<typeof agentSettings>>
export type AgentPatch = z.output<typeof agentPatch>

type DeepReadonly<T> = { readonly [K in keyof T]: T[K] extends object ? DeepReadonly<T[K]> : T[K] }

/** Settings with a patch applied; `retrieval` is patched field by field. */
export function applyPatch(settings: AgentSettings, patch: AgentPatch): AgentSettings {
  const retrieval = { ...settings.retrieval, ...patch.retrieval }
  return agentSettings.parse({ ...settings, ...patch, retrieval })
}

export const readAgentSettings = parsingOnce<AgentSettings>(agentSettings)
