import { expect, test } from 'vitest'
import { dayMs } from '#kernel/durations.ts'
import { describeEngines } from '#test/support/databases/engines.ts'
import { claimRequest, recordRequest } from './idempotency.ts'

const now = 1_790_000_000_000

describeEngines('a request whose payment is in flight', (engine) => {
  const begin = (path: string, at: number) => {
    const request = { path, key: 'key', bodyHash: 'hash' }
    const begun = { outcome_json: null, payment_id: 'payment', lease_until: at + 25_000 }
    return engine.database().write(async (tx) => {
      await recordRequest(tx, 'caller', request, begun, at)
      return await claimRequest(tx, 'caller', request, now)
    })
  }

  test('is not repeated while its process may still work on it', async () => {
    await expect(begin('/running', now)).rejects.toMatchObject({ code: 'idempotency_in_flight' })
  })

  test('is continued by a retry if its process was killed while its clock was a day ahead', async () => {
    expect(await begin('/ahead', now + dayMs)).toEqual({ state: 'unsettled', paymentId: 'payment' })
  })
})
