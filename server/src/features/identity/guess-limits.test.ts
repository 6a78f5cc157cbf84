import { beforeAll, expect, test } from 'vitest'
import { readConfig } from '#config'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { describeInstance, type TestInstance } from '#test/support/test-instance.ts'
import { countingGuess, passwordChangeCounts, signInCounts } from './guess-limits.ts'
import { identityFaults } from './identity-faults.ts'

function limitsOf(environment: Readonly<Record<string, string>>) {
  const config = readConfig(environment)
  const counts = [
    ...signInCounts(config, 'a@b.example', { address: '::1', browserId: null }),
    ...signInCounts(config, 'a@b.example', { address: '::1', browserId: 'a browser' }),
    ...passwordChangeCounts(config, 'x'),
  ]
  return counts.map(({ window }) => window)
}

test('an address, an account at an address, an account, a known browser and a session each have a limit', () => {
  expect(limitsOf({})).toEqual([
    { limit: 100, windowSeconds: 900 },
    { limit: 10, windowSeconds: 900 },
    { limit: 50, windowSeconds: 3600 },
    { limit: 10, windowSeconds: 900 },
    { limit: 10, windowSeconds: 900 },
  ])
})

test('SIGN_IN_ATTEMPTS_LIMIT scales all limits, so that none of the others applies before it', () => {
  expect(limitsOf({ SIGN_IN_ATTEMPTS_LIMIT: '1000' }).map(({ limit }) => limit)).toEqual([
    10_000, 1000, 5000, 1000, 1000,
  ])
})

describeInstance('guesses at passwords', (open) => {
  let instance: TestInstance

  beforeAll(async () => {
    instance = await open({ SIGN_IN_ATTEMPTS_LIMIT: '2' })
  })

  const guess = async (account: string, address: string, fault: Fault) => {
    const counts = signInCounts(instance.ctx.config, account, { address, browserId: null })
    const made = countingGuess(instance.ctx, counts, () => Promise.reject(fault))
    return await made.catch((error: unknown) => (error as Fault).code)
  }
  const wrong = new Fault(identityFaults.credentials_wrong)

  test('that are refused do not use up the limit of others at the address', async () => {
    const codes = []
    for (let count = 0; count < 30; count += 1) codes.push(await guess('a@x.example', 'hq', wrong))
    expect(codes.filter((code) => code === 'credentials_wrong')).toHaveLength(2)
    expect(codes.at(-1)).toBe('guesses_limited')
    expect(await guess('b@x.example', 'hq', wrong)).toBe('credentials_wrong')
  })

  test('that fail to run are not counted', async () => {
    const down = new Fault(commonFaults.database_unavailable)
    for (let count = 0; count < 5; count += 1)
      expect(await guess('c@x.example', 'home', down)).toBe('database_unavailable')
    expect(await guess('c@x.example', 'home', wrong)).toBe('credentials_wrong')
  })
})
