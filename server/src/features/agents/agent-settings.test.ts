import { describe, expect, test } from 'vitest'
import { agentPatch, agentSettings, applyPatch, readAgentSettings } from './agent-settings.ts'

const least = { name: 'A', model: 'local/extractive' }

describe('the settings of an agent', () => {
  test('settings stored by an older version get the defaults of later fields', () => {
    expect(readAgentSettings(JSON.stringify(least))).toEqual({
      ...least,
      description: '',
      system_prompt: '',
      temperature: null,
      max_output_tokens: null,
      greeting: '',
      suggestions: [],
      retrieval: { mode: 'hybrid', top_k: 5, min_score: 0, vector_weight: null },
      fallback_models: [],
      max_tool_steps: 5,
      retention_days: null,
      allow_request_overrides: [
        'tools',
        'tool_choice',
        'response_format',
        'sampling',
        'max_tokens',
      ],
      temperature_bounds: null,
      top_p_bounds: null,
      memory: 'none',
      memory_model: null,
      store_reasoning: false,
    })
  })

  test('equal texts are parsed once, and the cache is bounded', () => {
    const json = JSON.stringify({ ...least, name: 'kept' })
    const first = readAgentSettings(json)
    expect(readAgentSettings(json)).toBe(first)
    for (let n = 0; n < 1000; n += 1) readAgentSettings(JSON.stringify({ ...least, name: `${n}` }))
    expect(readAgentSettings(json)).not.toBe(first)
    expect(readAgentSettings(json)).toEqual(first)
  })

  test('a patch changes only the fields it names: no other field gets its default', () => {
    const before = agentSettings.parse({
      ...least,
      temperature: 1.5,
      greeting: 'Hi',
      retrieval: { mode: 'hybrid', top_k: 9, min_score: 2, vector_weight: null },
    })
    const patch = agentPatch.parse({ description: 'New', retrieval: { top_k: 3 } })
    expect(applyPatch(before, patch)).toEqual({
      ...before,
      description: 'New',
      retrieval: { mode: 'hybrid', top_k: 3, min_score: 2, vector_weight: null },
    })
  })

  test.each([
    { name: '' },
    { name: '   ' },
    { name: 'x'.repeat(201) },
    { temperature: 2.1 },
    { temperature: -0.1 },
    { temperature_bounds: { min: 1, max: 0.5 } },
    { temperature_bounds: { max: 1 } },
    { top_p_bounds: { min: 0, max: 1.1 } },
    { max_output_tokens: 0 },
    { max_output_tokens: 1.5 },
    { suggestions: Array.from({ length: 11 }, () => 'q') },
    { suggestions: [''] },
    { system_prompt: 'x'.repeat(64_001) },
    { retrieval: { top_k: 0 } },
    { retrieval: { top_k: 21 } },
    { retrieval: { topk: 3 } },
  ])('a value out of bounds is refused (%#)', (patch) => {
    expect(agentPatch.safeParse(patch).success).toBe(false)
  })

  test('null resets temperature and output limit to those of the model', () => {
    const before = agentSettings.parse({ ...least, temperature: 1, max_output_tokens: 100 })
    const patch = agentPatch.parse({ temperature: null, max_output_tokens: null })
    expect(applyPatch(before, patch)).toMatchObject({ temperature: null, max_output_tokens: null })
  })
})
