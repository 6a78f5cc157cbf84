import { expect, test } from 'vitest'
import { relyingParty } from './relying-party.ts'

test.each([
  ['https://parley.example', 'parley.example', 'https://parley.example'],
  ['https://parley.example:8443/under/path', 'parley.example', 'https://parley.example:8443'],
  ['http://localhost:3000', 'localhost', 'http://localhost:3000'],
  ['https://localhost', 'localhost', 'https://localhost'],
])('passkeys are possible at %s', (baseUrl, id, origin) => {
  expect(relyingParty({ baseUrl })).toEqual({ id, origin })
})

test.each([
  'http://parley.example',
  'http://192.168.1.10:3000',
  'https://192.168.1.10',
  'http://127.0.0.1:3000',
  'http://[::1]:3000',
  'https://[2001:db8::1]',
  'http://localhost.example',
  'http://parley.localhost.example:3000',
])('no passkeys at %s', (baseUrl) => {
  expect(relyingParty({ baseUrl })).toBeNull()
})
