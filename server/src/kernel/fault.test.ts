import { describe, expect, test } from 'vitest'
import { defineFaults, Fault, withFacts } from './fault.ts'

const faults = defineFaults({
  key_unknown: 'not_found',
  too_many_keys: withFacts<{ allowed: number; plan?: string }>('conflict'),
})

describe('a fault', () => {
  test('has the code, the kind and the facts that it was thrown with', () => {
    const fault = new Fault(faults.too_many_keys, { allowed: 10 })
    expect(fault).toMatchObject({ code: 'too_many_keys', kind: 'conflict', facts: { allowed: 10 } })
    expect(new Fault(faults.key_unknown)).toMatchObject({ kind: 'not_found', facts: {} })
  })

  test('does not compile with missing, wrong or unknown facts', () => {
    const wrong = () => [
      // @ts-expect-error the facts are missing
      new Fault(faults.too_many_keys),
      // @ts-expect-error a required fact is missing
      new Fault(faults.too_many_keys, { plan: 'free' }),
      // @ts-expect-error a fact has the wrong type
      new Fault(faults.too_many_keys, { allowed: '10' }),
      // @ts-expect-error the code has no such fact
      new Fault(faults.too_many_keys, { allowed: 10, limit: 10 }),
      // @ts-expect-error the code has no facts
      new Fault(faults.key_unknown, { id: 'one' }),
      // @ts-expect-error there is no such code
      new Fault(faults.key_missing),
    ]
    expect(wrong).toBeTypeOf('function')
  })
})
