import type { InputOf } from '#api/call-operation.ts'
import type { Agent } from '#features/agents/index.ts'

export const maxSuggestions = 10
export const maxFallbacks = 5
export const maxPromptLength = 64_000

export const overrides = [
  'tools',
  'tool_choice',
  'response_format',
  'sampling',
  'max_tokens',
  'instructions',
] as const satisfies Agent['allow_request_overrides']

export type RetrievalMode = Agent['retrieval']['mode']

/** An agent as it is typed into its form. Numbers are text; empty means the default. */
export interface AgentDraft {
  /** What the saved draft had in the fields that were typed into. */
  readonly was: Partial<Record<string, unknown>>
  readonly name: string
  readonly description: string
  readonly system_prompt: string
  readonly model: string
  readonly fallback_models: readonly string[]
  readonly temperature: string
  readonly max_output_tokens: string
  readonly max_tool_steps: string
  readonly retention_days: string
  readonly greeting: string
  readonly suggestions: readonly string[]
  readonly allow_request_overrides: Agent['allow_request_overrides']
  readonly min_temperature: string
  readonly max_temperature: string
  readonly min_top_p: string
  readonly max_top_p: string
  readonly memory: Agent['memory']
  /** Empty for the agent's own model. */
  readonly memory_model: string
  readonly store_reasoning: boolean
  readonly mode: RetrievalMode
  readonly top_k: string
  readonly min_score: string
  readonly vector_weight: string
}

export function draftOf(agent: Agent): AgentDraft {
  const { retrieval, temperature_bounds: temperature, top_p_bounds: topP } = agent
  return {
    was: {},
    name: agent.name,
    description: agent.description,
    system_prompt: agent.system_prompt,
    model: agent.model,
    fallback_models: agent.fallback_models,
    temperature: text(agent.temperature),
    max_output_tokens: text(agent.max_output_tokens),
    max_tool_steps: text(agent.max_tool_steps),
    retention_days: text(agent.retention_days),
    greeting: agent.greeting,
    suggestions: agent.suggestions,
    allow_request_overrides: agent.allow_request_overrides,
    min_temperature: text(temperature?.min ?? null),
    max_temperature: text(temperature?.max ?? null),
    min_top_p: text(topP?.min ?? null),
    max_top_p: text(topP?.max ?? null),
    memory: agent.memory,
    memory_model: agent.memory_model ?? '',
    store_reasoning: agent.store_reasoning,
    mode: retrieval.mode,
    top_k: text(retrieval.top_k),
    min_score: text(retrieval.min_score),
    vector_weight: text(retrieval.vector_weight),
  }
}

function text(value: number | null): string {
  return value === null ? '' : String(value)
}

/** The bounds of number fields. The service validates them too. */
export const bounds = {
  temperature: { least: 0, most: 2, whole: false, empty: true },
  max_output_tokens: { least: 1, most: 1_000_000, whole: true, empty: true },
  min_temperature: { least: 0, most: 2, whole: false, empty: true },
  max_temperature: { least: 0, most: 2, whole: false, empty: true },
  min_top_p: { least: 0, most: 1, whole: false, empty: true },
  max_top_p: { least: 0, most: 1, whole: false, empty: true },
  max_tool_steps: { least: 0, most: 20, whole: true, empty: false },
  retention_days: { least: 1, most: 36_500, whole: true, empty: true },
  top_k: { least: 1, most: 20, whole: true, empty: false },
  min_score: { least: 0, most: 1_000_000, whole: false, empty: false },
  vector_weight: { least: 0, most: 1, whole: false, empty: true },
} as const

export type NumberField = keyof typeof bounds
export type NumberProblem = 'number' | 'whole' | 'between'

export function numberProblem(field: NumberField, typed: string): NumberProblem | null {
  const { least, most, whole, empty } = bounds[field]
  if (typed.trim() === '') return empty ? null : 'number'
  const value = numberOf(typed)
  if (value === null || Number.isNaN(value)) return 'number'
  if (whole && !Number.isInteger(value)) return 'whole'
  return value < least || value > most ? 'between' : null
}

/** Accepts a decimal comma too. */
function numberOf(typed: string): number | null {
  const trimmed = typed.trim().replace(',', '.')
  return trimmed === '' ? null : Number(trimmed)
}

export function hasNumberProblem(draft: AgentDraft): boolean {
  return (
    numberFields.some((field) => numberProblem(field, draft[field]) !== null) ||
    boundedFields.some((field) => isReversed(draft, field))
  )
}

/** What requests may set within bounds. */
export const boundedFields = ['temperature', 'top_p'] as const
export type BoundedField = (typeof boundedFields)[number]

/** The bounds as they are typed; null without any. One that is empty is the widest. */
function boundsOf(draft: AgentDraft, field: BoundedField): Agent['temperature_bounds'] {
  const min = numberOf(draft[`min_${field}`])
  const max = numberOf(draft[`max_${field}`])
  if (min === null && max === null) return null
  const { least, most } = bounds[`max_${field}`]
  return { min: min ?? least, max: max ?? most }
}

/** Whether the lower bound is above the upper one. */
export function isReversed(draft: AgentDraft, field: BoundedField): boolean {
  const typed = boundsOf(draft, field)
  return typed !== null && typed.min > typed.max
}

const numberFields = Object.keys(bounds) as NumberField[] // its own keys

/** Empty required fields and invalid numbers are not saved. */
export function canBeSaved(draft: AgentDraft): boolean {
  return draft.name.trim() !== '' && draft.model.trim() !== '' && !hasNumberProblem(draft)
}

export type AgentPatch = Omit<
  InputOf<'update_app'>,
  'app_id' | 'publish' | 'expected_version' | 'expected_draft' | 'note'
>

/** A change of the form that also remembers what the saved draft had in its fields. */
export function touched(
  part: Partial<AgentDraft>,
  typed: AgentDraft,
  saved: AgentDraft,
): Partial<AgentDraft> {
  const before = changedFields(typed, saved)
  const had = new Map<string, unknown>(Object.entries(saved))
  const begun = Object.keys(part).filter((field) => !before.includes(field))
  const was = Object.fromEntries(begun.map((field) => [field, had.get(field)]))
  return { ...part, was: { ...typed.was, ...was } }
}

/** Whether a field that was typed into has another saved value than before. */
export function changedElsewhere(typed: AgentDraft, saved: AgentDraft): boolean {
  const has = new Map<string, unknown>(Object.entries(saved))
  return changedFields(typed, saved).some(
    (field) =>
      field in typed.was && JSON.stringify(typed.was[field]) !== JSON.stringify(has.get(field)),
  )
}

function changedFields(typed: AgentDraft, saved: AgentDraft): readonly string[] {
  const has = new Map<string, unknown>(Object.entries(saved))
  return Object.entries(typed).flatMap(([field, value]) =>
    field === 'was' || JSON.stringify(value) === JSON.stringify(has.get(field)) ? [] : [field],
  )
}

/** Only the changed fields, so that nothing else is overwritten. */
export function patchOf(draft: AgentDraft, agent: Agent): AgentPatch {
  const saved = draftOf(agent)
  const typed = {
    name: draft.name.trim(),
    description: draft.description,
    system_prompt: draft.system_prompt,
    model: draft.model.trim(),
    fallback_models: draft.fallback_models.map((one) => one.trim()).filter((one) => one !== ''),
    temperature: numberOf(draft.temperature),
    max_output_tokens: numberOf(draft.max_output_tokens),
    max_tool_steps: numberOf(draft.max_tool_steps) ?? agent.max_tool_steps,
    retention_days: numberOf(draft.retention_days),
    greeting: draft.greeting,
    suggestions: draft.suggestions.map((one) => one.trim()).filter((one) => one !== ''),
    allow_request_overrides: draft.allow_request_overrides,
    temperature_bounds: boundsOf(draft, 'temperature'),
    top_p_bounds: boundsOf(draft, 'top_p'),
    memory: draft.memory,
    memory_model: draft.memory_model.trim() || null,
    store_reasoning: draft.store_reasoning,
  }
  const entries = Object.entries(typed).filter(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(fieldOf(agent, key)),
  )
  const hasRetrieval = (['mode', 'top_k', 'min_score', 'vector_weight'] as const).some(
    (field) => draft[field] !== saved[field],
  )
  const retrieval = {
    mode: draft.mode,
    top_k: numberOf(draft.top_k) ?? agent.retrieval.top_k,
    min_score: numberOf(draft.min_score) ?? agent.retrieval.min_score,
    vector_weight: numberOf(draft.vector_weight),
  }
  return { ...Object.fromEntries(entries), ...(hasRetrieval ? { retrieval } : {}) }
}

function fieldOf(agent: Agent, key: string): unknown {
  return Object.entries(agent).find(([name]) => name === key)?.[1]
}
