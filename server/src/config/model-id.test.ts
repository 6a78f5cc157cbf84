import { describe, expect, test } from 'vitest'
import { readConfig } from '#config'

describe.each(['DEFAULT_MODEL', 'EMBEDDING_MODEL'] as const)('%s', (name) => {
  const read = (value: string) => {
    const { defaultModel, embeddingModel } = readConfig({ [name]: value })
    return name === 'DEFAULT_MODEL' ? defaultModel : embeddingModel
  }

  test('is read in the only spelling of its provider', () => {
    expect(read('google/models/Gemini-Embedding-001')).toBe('google/gemini-embedding-001')
    expect(read('ollama/nomic-embed-text:latest')).toBe('ollama/nomic-embed-text')
    expect(read('my-vllm/BAAI/bge-m3')).toBe('my-vllm/BAAI/bge-m3')
  })

  test.each(['google/../../admin/x?', 'google/a/b', 'openai/%2e%2e', 'openai/', 'gpt-5'])(
    'cannot be %s',
    (value) => {
      expect(() => read(value)).toThrow(`${name} must look like <provider>/<model>`)
    },
  )
})
