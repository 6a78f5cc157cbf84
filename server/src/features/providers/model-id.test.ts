import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readConfig } from '#config'
import { hostileModelName } from '#test/support/hostile-model-names.ts'
import { parseModelId } from '#kernel/model-id.ts'
import { providerAddress } from './provider-address.ts'

const config = readConfig({})

describe('a model id', () => {
  test('is split at its first slash, because names may hold slashes', () => {
    expect(parseModelId(config, 'openrouter/meta-llama/llama-4:free')).toEqual({
      provider: 'openrouter',
      model: 'meta-llama/llama-4:free',
      id: 'openrouter/meta-llama/llama-4:free',
    })
  })

  test.each([
    'local/extractive',
    'openai/gpt-5.2',
    'openai/ft:gpt-4o-mini-2024-07-18:acme::AbC12',
    'openai/meta-llama/Llama-3.1-8B-Instruct',
    'openai//models/llama.gguf',
    'openai/@cf/meta/llama-3.1-8b-instruct',
    'anthropic/claude-sonnet-4-5',
    'anthropic/claude-sonnet-4-5@20250929',
    'google/gemini-2.5-flash',
    'ollama/hf.co/bartowski/llama-3.2-gguf:q4_k_m',
  ])('%s is kept as it is', (id) => {
    expect(parseModelId(config, id)?.id).toBe(id)
  })

  test.each([
    ['google/models/gemini-2.5-pro', 'google/gemini-2.5-pro'],
    ['google/GEMINI-2.5-pro', 'google/gemini-2.5-pro'],
    ['ollama/Llama3.2:latest', 'ollama/llama3.2'],
    ['ollama/registry.ollama.ai/library/llama3.2', 'ollama/llama3.2'],
  ])('%s is another spelling of %s', (id, canonical) => {
    expect(parseModelId(config, id)?.id).toBe(canonical)
  })

  test.each(
    ['openai', 'anthropic', 'google', 'ollama', 'local', 'my-vllm'].flatMap((provider) =>
      [
        '../../admin/x?',
        'x:generateContent?',
        'gemini%2D2.5',
        '%2e%2e/x',
        'a/../b',
        'a..b',
        '..',
        '.',
        'x#y',
        'x?alt=sse',
        'x\\y',
        'x//y',
        'x/',
        'x y',
        'x\n',
        'ｇpt',
        'x'.repeat(161),
      ].map((name) => `${provider}/${name}`),
    ),
  )('%j is refused', (id) => {
    expect(parseModelId(config, id)).toBeNull()
  })

  test.each(['google/a/b', 'google/x:y', 'google/models/models/x', 'anthropic/a/b', 'local/a/b'])(
    '%s is refused, because its provider has no such names',
    (id) => expect(parseModelId(config, id)).toBeNull(),
  )

  test('has one spelling, and each name is one part of a path or several plain ones', () => {
    const provider = fc.constantFrom('openai', 'anthropic', 'google', 'ollama', 'my-vllm')
    fc.assert(
      fc.property(provider, hostileModelName, (provider, name) => {
        const parsed = parseModelId(config, `${provider}/${name}`)
        if (parsed === null) return
        expect(parseModelId(config, parsed.id)).toEqual(parsed)
        const path = new URL(`http://host/base/${parsed.model}`)
        expect([path.search, path.hash]).toEqual(['', ''])
        expect(decodeURIComponent(path.pathname)).toBe(`/base/${parsed.model}`)
      }),
      { numRuns: 2000 },
    )
  })

  test.each([
    '',
    'gpt-5',
    '/gpt-5',
    'openai/',
    'openai/ ',
    'OpenAI/gpt-5',
    '9x/y',
    'a b/c',
    'a/b\nc',
  ])('%j is not one', (id) => {
    expect(parseModelId(config, id)).toBeNull()
  })
})

describe('an address that a person types', () => {
  test('loses the slashes at its end', () => {
    expect(providerAddress('https://llm.example.com/v1//')).toBe('https://llm.example.com/v1')
    expect(providerAddress('http://llm.example.com')).toBe('http://llm.example.com')
  })

  test.each([
    'llm.example.com/v1',
    'ftp://llm.example.com',
    'file:///etc/passwd',
    'https://user:secret@llm.example.com/v1',
    'https://llm.example.com/v1?key=secret',
    'https://llm.example.com/v1#x',
    'https://',
  ])('%j is refused', (text) => {
    expect(() => providerAddress(text)).toThrow(
      expect.objectContaining({ code: 'provider_address_invalid' }),
    )
  })
})
