import { expect, test } from 'vitest'
import type { Agent } from '#features/agents/index.ts'
import {
  changedElsewhere,
  draftOf,
  hasNumberProblem,
  numberProblem,
  patchOf,
  touched,
} from './agent-draft.ts'

const agent = {
  version: 3,
  name: 'Shop',
  description: '',
  system_prompt: 'You help.',
  model: 'local/extractive',
  temperature: null,
  max_output_tokens: 500,
  max_tool_steps: 5,
  retention_days: null,
  greeting: '',
  fallback_models: ['openai/gpt-5.2'],
  suggestions: ['Where is my order?'],
  allow_request_overrides: ['tools', 'sampling'],
  temperature_bounds: { min: 0, max: 1 },
  top_p_bounds: null,
  memory: 'none',
  memory_model: null,
  store_reasoning: false,
  retrieval: { mode: 'hybrid', top_k: 6, min_score: 0, vector_weight: null },
} as unknown as Agent // the fields that the form has

const draft = draftOf(agent)

test('a form without changes sends nothing', () => {
  expect(patchOf(draft, agent)).toEqual({})
})

test('only changed fields are sent, trimmed and as numbers', () => {
  const changed = { ...draft, name: ' Shop 2 ', temperature: '0,5', max_output_tokens: '' }
  expect(patchOf(changed, agent)).toEqual({
    name: 'Shop 2',
    temperature: 0.5,
    max_output_tokens: null,
  })
})

test('fallback models are sent without empty lines', () => {
  const typed = ['openai/gpt-5.2', ' ', ' ollama/qwen3 ']
  expect(patchOf({ ...draft, fallback_models: typed }, agent)).toEqual({
    fallback_models: ['openai/gpt-5.2', 'ollama/qwen3'],
  })
  expect(patchOf({ ...draft, fallback_models: ['openai/gpt-5.2', ''] }, agent)).toEqual({})
})

test('the list of what a request can set is sent as a whole', () => {
  expect(patchOf({ ...draft, allow_request_overrides: ['tools'] }, agent)).toEqual({
    allow_request_overrides: ['tools'],
  })
})

test('bounds of sampling are sent in pairs, and never reversed', () => {
  expect(patchOf({ ...draft, min_temperature: '0,2', max_top_p: '0.9' }, agent)).toEqual({
    temperature_bounds: { min: 0.2, max: 1 },
    top_p_bounds: { min: 0, max: 0.9 },
  })
  expect(patchOf({ ...draft, min_temperature: '', max_temperature: '' }, agent)).toEqual({
    temperature_bounds: null,
  })
  expect(hasNumberProblem({ ...draft, min_temperature: '1.5' })).toBe(true)
})

test('empty suggestions are not sent', () => {
  const changed = { ...draft, suggestions: ['Where is my order?', '  '] }
  expect(patchOf(changed, agent)).toEqual({})
})

test('search settings are sent together', () => {
  expect(patchOf({ ...draft, top_k: '8' }, agent)).toEqual({
    retrieval: { mode: 'hybrid', top_k: 8, min_score: 0, vector_weight: null },
  })
})

test('numbers outside of their bounds are reported', () => {
  expect(numberProblem('temperature', '2.1')).toBe('between')
  expect(numberProblem('temperature', '1,5')).toBeNull()
  expect(numberProblem('temperature', '')).toBeNull()
  expect(numberProblem('top_k', '')).toBe('number')
  expect(numberProblem('top_k', '1.5')).toBe('whole')
  expect(numberProblem('top_k', 'many')).toBe('number')
  expect(hasNumberProblem(draft)).toBe(false)
  expect(hasNumberProblem({ ...draft, top_k: '0' })).toBe(true)
})

test('a field that is typed into conflicts only with another saved value of the same field', () => {
  const typed = { ...draft, ...touched({ greeting: 'Mine' }, draft, draft) }
  expect(changedElsewhere(typed, draft)).toBe(false)
  expect(changedElsewhere(typed, { ...draft, name: 'Theirs' })).toBe(false)
  expect(changedElsewhere(typed, { ...draft, greeting: 'Theirs' })).toBe(true)
  const further = { ...typed, ...touched({ greeting: 'Mine too' }, typed, draft) }
  expect(changedElsewhere(further, { ...draft, greeting: 'Theirs' })).toBe(true)
  expect(changedElsewhere({ ...further, was: {} }, { ...draft, greeting: 'Theirs' })).toBe(false)
})
