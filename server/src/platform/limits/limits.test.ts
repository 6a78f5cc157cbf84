import { expect, test } from 'vitest'
import { describeEngines } from '#test/support/engines.ts'
import { createLimits } from './create-limits.ts'

describeEngines('limits', (engine) => {
  const window = { limit: 3, windowSeconds: 60 }

  test('allow as many in a window as the limit says, however many ask at once', async () => {
    const limits = createLimits(engine.database())
    const verdicts = await Promise.all(
      Array.from({ length: 10 }, () => limits.consume('at once', window)),
    )
    expect(verdicts.filter(({ allowed }) => allowed)).toHaveLength(3)
  })

  test('say whether one more would pass without counting it', async () => {
    const limits = createLimits(engine.database())
    for (let round = 0; round < 5; round += 1)
      expect(await limits.peek('peeked', window)).toMatchObject({ allowed: true, remaining: 3 })
    await limits.consume('peeked', window)
    expect(await limits.peek('peeked', window)).toMatchObject({ allowed: true, remaining: 2 })
    await limits.consume('peeked', window)
    await limits.consume('peeked', window)
    const full = await limits.peek('peeked', window)
    expect(full).toMatchObject({ allowed: false, remaining: 0 })
    expect(full.retryAfterSeconds).toBeGreaterThan(0)
    expect(full.retryAfterSeconds).toBeLessThanOrEqual(60)
  })

  test('take back what was counted', async () => {
    const limits = createLimits(engine.database())
    for (let round = 0; round < 10; round += 1) {
      expect(await limits.consume('forgiven', window)).toMatchObject({ allowed: true })
      await limits.giveBack('forgiven', window)
    }
    expect(await limits.peek('forgiven', window)).toMatchObject({ remaining: 3 })
  })
})
