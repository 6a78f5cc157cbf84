import { expect, test } from 'vitest'
import { readConfig } from '#config'
import { passwordChangeCounts, signInCounts } from './guess-limits.ts'

function limitsOf(environment: Readonly<Record<string, string>>) {
  const config = readConfig(environment)
  const counts = [
    ...signInCounts(config, 'a@b.example', '::1'),
    ...passwordChangeCounts(config, 'x'),
  ]
  return counts.map(({ window }) => window)
}

test('an address, an account from an address, an account, and a session have limits of their own', () => {
  expect(limitsOf({})).toEqual([
    { limit: 100, windowSeconds: 900 },
    { limit: 10, windowSeconds: 900 },
    { limit: 50, windowSeconds: 3600 },
    { limit: 10, windowSeconds: 900 },
  ])
})

test('SIGN_IN_ATTEMPTS_LIMIT moves all of them: none of the others bites before it', () => {
  expect(limitsOf({ SIGN_IN_ATTEMPTS_LIMIT: '1000' }).map(({ limit }) => limit)).toEqual([
    10_000, 1000, 5000, 1000,
  ])
})
