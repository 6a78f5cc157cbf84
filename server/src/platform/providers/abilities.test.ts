import { expect, it } from 'vitest'
import { abilitiesOf } from './abilities.ts'

it.each([
  ['openai', 'gpt-4o'],
  ['openai', 'gpt-4o-mini-2024-07-18'],
  ['openai', 'gpt-5.2'],
  ['openai', 'o3'],
  ['openrouter', 'anthropic/claude-sonnet-4-5'],
  ['anthropic', 'claude-3-5-sonnet-latest'],
  ['anthropic', 'claude-opus-4-1'],
  ['google', 'gemini-2.5-flash'],
  ['ollama', 'llava:13b'],
  ['ollama', 'llama3.2-vision'],
  ['ollama', 'gemma3:12b'],
  ['vllm', 'Qwen/Qwen2.5-VL-7B-Instruct'],
])('%s/%s accepts images', (provider, model) => {
  expect(abilitiesOf(provider, model).vision).toBe(true)
})

it.each([
  ['local', 'extractive'],
  ['openai', 'gpt-3.5-turbo'],
  ['openai', 'o1-mini'],
  ['openai', 'gpt-4o-audio-preview'],
  ['openai', 'text-embedding-3-large'],
  ['anthropic', 'claude-2.1'],
  ['google', 'gemini-1.0-pro'],
  ['ollama', 'llama3.2'],
  ['ollama', 'gemma3:1b'],
  ['openai', 'something-of-tomorrow'],
])('%s/%s is not known to accept images', (provider, model) => {
  expect(abilitiesOf(provider, model).vision).toBe(false)
})

it.each([
  ['openai', 'gpt-4o-audio-preview'],
  ['openai', 'gpt-audio-mini'],
  ['google', 'gemini-2.5-flash'],
  ['openrouter', 'google/gemini-2.5-pro'],
  ['vllm', 'mistralai/Voxtral-Mini-3B'],
])('%s/%s accepts audio', (provider, model) => {
  expect(abilitiesOf(provider, model).audio).toBe(true)
})

it.each([
  ['local', 'extractive'],
  ['openai', 'gpt-4o'],
  ['openai', 'gpt-4o-mini-tts'],
  ['openai', 'gpt-4o-transcribe'],
  ['google', 'gemini-2.5-flash-preview-tts'],
  ['google', 'gemini-2.5-flash-image'],
  ['anthropic', 'claude-opus-4-1'],
  ['anthropic', 'gemini-2.5-flash'],
  ['ollama', 'voxtral'],
])('%s/%s is not known to accept audio', (provider, model) => {
  expect(abilitiesOf(provider, model).audio).toBe(false)
})

it('Known families can call tools; the model inside Parley and unknown models cannot', () => {
  for (const [provider, model] of [
    ['openai', 'gpt-4o'],
    ['anthropic', 'claude-haiku-4-5'],
    ['google', 'gemini-2.0-flash'],
    ['ollama', 'llama3.1:8b'],
  ] as const)
    expect(abilitiesOf(provider, model).tools).toBe(true)
  expect(abilitiesOf('local', 'gpt-4o').tools).toBe(false)
  expect(abilitiesOf('openai', 'davinci-002').tools).toBe(false)
})
