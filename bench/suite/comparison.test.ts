import { describe, expect, test } from 'vitest'
import { compare, type Block } from './comparison.ts'

/** Blocks in which the newer commit has these multiples of the older one's 100. */
const blocks = (...ratios: number[]): Block[] =>
  ratios.map((ratio) => ({ before: [90, 110], after: [ratio * 95, ratio * 105] }))

describe('comparing two commits', () => {
  test('a lower rate and more CPU time are losses beyond the limit', () => {
    const slower = compare('perSecond', blocks(0.9, 0.9, 0.9), 0.05)
    expect(slower).toMatchObject({ verdict: 'loss' })
    expect(slower.ratio).toBeCloseTo(1 / 0.9)
    expect(compare('cpuMicros', blocks(1.1, 1.1, 1.1), 0.05).verdict).toBe('loss')
  })

  test('a higher rate, less CPU time and a small loss are none', () => {
    expect(compare('perSecond', blocks(1.2, 1.2), 0.05).verdict).toBe('no loss')
    expect(compare('cpuMicros', blocks(0.8, 0.8), 0.05).verdict).toBe('no loss')
    expect(compare('perSecond', blocks(0.97, 0.97), 0.05).verdict).toBe('no loss')
  })

  test('a loss fails only beyond the noise', () => {
    expect(compare('cpuMicros', blocks(1.2, 0.95, 1.15, 0.98), 0.05).verdict).toBe('unclear')
    expect(compare('cpuMicros', blocks(1.12, 1.13, 1.12, 1.13), 0.05).verdict).toBe('loss')
  })

  test('a single block shows nothing of its noise', () => {
    expect(compare('cpuMicros', blocks(2), 0.05).verdict).toBe('unclear')
  })

  test('drift within a block favours neither commit', () => {
    const drifting: Block[] = [1, 2, 3].map(() => ({ before: [100, 70], after: [90, 80] }))
    expect(compare('perSecond', drifting, 0.05).ratio).toBeCloseTo(1)
  })
})
