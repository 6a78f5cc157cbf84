import { beforeAll, expect, test } from 'vitest'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { describeInstance, type TestInstance } from '#test/support/test-instance.ts'
import { createFailureLimit, type LimitFailures } from './failure-limit.ts'

describeInstance('the limit of failed calls', (open) => {
  let instance: TestInstance
  let limitFailures: LimitFailures

  beforeAll(async () => {
    instance = await open()
    limitFailures = createFailureLimit(instance.ctx, { limit: 2, windowSeconds: 60 })
  })

  const fail = async (caller: string, fault: Error) => {
    const call = limitFailures(caller, () => Promise.reject(fault))
    return await call.catch((error: unknown) => (error as Error).message)
  }

  test('counts errors of the caller', async () => {
    const wrong = new Fault(commonFaults.invalid_input, { issues: [] })
    const outcomes = [await fail('a', wrong), await fail('a', wrong), await fail('a', wrong)]
    expect(outcomes).toEqual(['invalid_input', 'invalid_input', 'rate_limited'])
  })

  test.each([
    ['an unavailable database', new Fault(commonFaults.database_unavailable)],
    ['an internal error', new Error('a mistake')],
  ])('does not count internal errors: %s', async (name, ours) => {
    for (let count = 0; count < 5; count += 1) expect(await fail(name, ours)).toBe(ours.message)
  })
})
