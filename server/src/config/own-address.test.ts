import { expect, test } from 'vitest'
import { readConfig } from '#config'

test.each([
  [{}, 'http://localhost:3000'],
  [{ PORT: '8080', HOST: '0.0.0.0' }, 'http://localhost:8080'],
  [{ HOST: '::' }, 'http://localhost:3000'],
  [{ HOST: '192.0.2.7' }, 'http://192.0.2.7:3000'],
  [{ HOST: '2001:db8::7' }, 'http://[2001:db8::7]:3000'],
  [{ HOST: 'agents.lan', PORT: '80' }, 'http://agents.lan:80'],
  [{ HOST: '192.0.2.7', BASE_URL: 'https://agents.example' }, 'https://agents.example'],
])('%j is reached at %s', (environment, address) => {
  expect(readConfig(environment).baseUrl).toBe(address)
})
