import { describe, expect, test } from 'vitest'
import { judge } from './goals.ts'
import type { Measurement } from './results.ts'

const at = (subject: 'sqlite' | 'portkey') =>
  ({ setting: 'whole', case: 'a', subject, metric: 'perSecond' }) as const

const measured = (subject: string, round: number, perSecond: number): Measurement => ({
  setting: 'whole',
  case: 'a',
  subject,
  round,
  values: { perSecond },
})

describe('goals of the bench', () => {
  const measurements = [
    measured('sqlite', 1, 300),
    measured('portkey', 1, 100),
    measured('sqlite', 2, 600),
    measured('portkey', 2, 300),
    measured('sqlite', 3, 500),
    measured('portkey', 3, 200),
  ]

  test('values are compared within their round, and the median decides', () => {
    const goal = { what: 'x', of: at('sqlite'), dividedBy: at('portkey') }
    expect(judge(measurements, [{ ...goal, atLeast: 2.5 }])).toEqual([
      { what: 'x', goal: '≥ 2.5', measured: { median: 2.5, least: 2, most: 3 }, isReached: true },
    ])
    expect(judge(measurements, [{ ...goal, atLeast: 2.6 }])[0]?.isReached).toBe(false)
  })

  test('a difference and an upper bound', () => {
    const goal = { what: 'x', of: at('sqlite'), minus: at('portkey'), atMost: 300 }
    expect(judge(measurements, [goal])[0]).toMatchObject({ goal: '≤ 300', isReached: true })
    expect(judge(measurements, [{ ...goal, atMost: 299 }])[0]?.isReached).toBe(false)
  })

  test('what was not measured is neither reached nor missed', () => {
    const goal = { what: 'x', of: at('sqlite'), dividedBy: at('portkey'), atLeast: 1 }
    const alone = measurements.filter(({ subject }) => subject === 'sqlite')
    expect(judge(alone, [goal])[0]).toMatchObject({ measured: null, isReached: null })
  })
})
