import { describe, expect, test } from 'vitest'
import { parseModelId } from './model-id.ts'
import { providerAddress } from './provider-address.ts'

describe('a model id', () => {
  test('is split at its first slash, because names may hold slashes', () => {
    expect(parseModelId('openrouter/meta-llama/llama-4:free')).toEqual({
      provider: 'openrouter',
      model: 'meta-llama/llama-4:free',
    })
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
    expect(parseModelId(id)).toBeNull()
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
