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
      {
        what: 'x',
        goal: '≥ 2.5',
        measured: { median: 2.5, least: 2, most: 3 },
        starved: 0,
        isReached: true,
      },
    ])
    expect(judge(measurements, [{ ...goal, atLeast: 2.6 }])[0]?.isReached).toBe(false)
  })

  test('a difference and an upper bound', () => {
    const goal = { what: 'x', of: at('sqlite'), minus: at('portkey'), atMost: 300 }
    expect(judge(measurements, [goal])[0]).toMatchObject({ goal: '≤ 300', isReached: true })
    expect(judge(measurements, [{ ...goal, atMost: 299 }])[0]?.isReached).toBe(false)
  })

  test('a round counts for a comparison only if both servers had what they need', () => {
    const name = '1 message, 32 callers'
    const loaded = (subject: string, round: number, perSecond: number, cores: number) => ({
      ...measured(subject, round, perSecond),
      case: name,
      values: { perSecond, cores },
    })
    const rounds = [
      loaded('sqlite', 1, 300, 1),
      loaded('portkey', 1, 100, 1),
      loaded('sqlite', 2, 300, 1),
      loaded('portkey', 2, 50, 0.5),
      loaded('sqlite', 3, 100, 0.6),
      loaded('portkey', 3, 100, 1.1),
    ]
    const of = { ...at('sqlite'), case: name }
    const dividedBy = { ...at('portkey'), case: name }
    expect(judge(rounds, [{ what: 'x', of, dividedBy, atLeast: 3 }])[0]).toMatchObject({
      measured: { median: 3, least: 3, most: 3 },
      starved: 2,
    })
  })

  test('for a lone caller, the model alone shows whether a round counts', () => {
    const rounds = [
      ...measurements,
      ...[1, 2, 3].map((round) => measured('direct', round, round === 2 ? 60 : 100)),
    ]
    const goal = { what: 'x', of: at('sqlite'), dividedBy: at('portkey'), atLeast: 1 }
    expect(judge(rounds, [goal])[0]).toMatchObject({
      measured: { median: 2.75, least: 2.5, most: 3 },
      starved: 1,
    })
  })

  test('what was not measured is neither reached nor missed', () => {
    const goal = { what: 'x', of: at('sqlite'), dividedBy: at('portkey'), atLeast: 1 }
    const alone = measurements.filter(({ subject }) => subject === 'sqlite')
    expect(judge(alone, [goal])[0]).toMatchObject({ measured: null, isReached: null })
  })
})
