import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { languages, snippetsOf } from './snippets.ts'

const values = {
  baseUrl: 'https://parley.example/api/v1',
  model: 'shop-1',
  apiKey: 'svc_ck_1',
  question: 'What\'s "up"? $(id) `id` \\',
}

test('there is one example per language', () => {
  expect(snippetsOf(values).map(({ id }) => id)).toEqual(languages)
})

test('a shell passes the values of the curl command to curl unchanged', () => {
  const code = snippetsOf(values)[0]?.code ?? ''
  const printed = execFileSync('sh', ['-c', `curl() { printf '%s\\n' "$@"; }\n${code}`])
  const [url, , authorization, , , , body = ''] = printed.toString().split('\n')
  expect(url).toBe('https://parley.example/api/v1/chat/completions')
  expect(authorization).toBe('Authorization: Bearer svc_ck_1')
  expect(JSON.parse(body)).toEqual({
    model: 'shop-1',
    messages: [{ role: 'user', content: values.question }],
  })
})

test('the examples in code contain every value as a string literal', () => {
  for (const { code } of snippetsOf(values).slice(1))
    for (const value of [values.model, values.apiKey, values.question])
      expect(code).toContain(JSON.stringify(value))
})
