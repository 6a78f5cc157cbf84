import { expect, test } from 'vitest'
import { policySource } from './policy-source.ts'

test.each([
  ['https://app.example/back?x=1', 'https://app.example'],
  ['https://App.Example:8443/', 'https://app.example:8443'],
  ['http://127.0.0.1:4567/callback', 'http://127.0.0.1:4567'],
  ['http://[::1]:4567/callback', 'http:'],
  ['https://münchen.example/', 'https://xn--mnchen-3ya.example'],
  ['cursor://a;b,c/back', 'cursor:'],
])('a policy names %s as %s', (address, source) => {
  expect(policySource(new URL(address))).toBe(source)
})

test.each([';', ',', '*', "'", '"', '(', '!', '$', '&', '+', '=', '~'])(
  'a host with %s never becomes a part of a policy',
  (character) => {
    const address = `https://a${character}script-src.example/`
    const name = () => policySource(new URL(address))
    expect(name).toThrow(TypeError)
  },
)
