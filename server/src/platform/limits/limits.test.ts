import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { describeEngines } from '#test/support/databases/engines.ts'
import { createVault } from '#platform/vault.ts'
import { createLimits } from './create-limits.ts'

const vault = createVault('5'.repeat(64))

describeEngines('limits', (engine) => {
  const window = { limit: 3, windowSeconds: 60 }

  test('allow exactly the limit per window, regardless of concurrent requests', async () => {
    const limits = createLimits(engine.database(), vault)
    const verdicts = await Promise.all(
      Array.from({ length: 10 }, () => limits.consume('at once', window)),
    )
    expect(verdicts.filter(({ allowed }) => allowed)).toHaveLength(3)
  })

  test('report whether another request would pass without counting it', async () => {
    const limits = createLimits(engine.database(), vault)
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

  test('count a key once for callers with different limits', async () => {
    const limits = createLimits(engine.database(), vault)
    for (let round = 0; round < 3; round += 1) await limits.consume('shared', window)
    const wider = { limit: 5, windowSeconds: 60 }
    expect(await limits.consume('shared', wider)).toMatchObject({ allowed: true, remaining: 1 })
    expect(await limits.consume('shared', window)).toMatchObject({ allowed: false, remaining: 0 })
  })

  test('undo a count', async () => {
    const limits = createLimits(engine.database(), vault)
    for (let round = 0; round < 10; round += 1) {
      expect(await limits.consume('forgiven', window)).toMatchObject({ allowed: true })
      await limits.giveBack('forgiven', window)
    }
    expect(await limits.peek('forgiven', window)).toMatchObject({ remaining: 3 })
  })

  test('do not reduce the next window when a count of an ended window is undone', async () => {
    const limits = createLimits(engine.database(), vault)
    const brief = { limit: 3, windowSeconds: 1 }
    await limits.consume('straddling', brief)
    await setTimeout(1_100)
    await limits.giveBack('straddling', brief)
    expect(await limits.peek('straddling', brief)).toMatchObject({ remaining: 3 })
  })

  test('counted in blocks allow exactly the limit in one process', async () => {
    const limits = createLimits(engine.database(), vault)
    for (const limit of [3, 130, 500]) {
      const verdicts = await Promise.all(
        Array.from({ length: limit + 40 }, () =>
          limits.consumeInBlocks(`blocks of ${limit}`, { limit, windowSeconds: 60 }),
        ),
      )
      expect(verdicts.filter(({ allowed }) => allowed)).toHaveLength(limit)
      expect(verdicts.at(-1)?.retryAfterSeconds).toBeGreaterThan(0)
    }
  })

  test('counted in blocks never allow more than the limit in several processes', async () => {
    const another = engine.another()
    try {
      const processes = [createLimits(engine.database(), vault), createLimits(another, vault)]
      const shared = engine.name === 'postgres' ? processes : processes.slice(0, 1)
      const wide = { limit: 500, windowSeconds: 60 }
      const verdicts = await Promise.all(
        Array.from({ length: 1_400 / shared.length }, () =>
          shared.map((limits) => limits.consumeInBlocks('several', wide)),
        ).flat(),
      )
      const allowed = verdicts.filter(({ allowed }) => allowed).length
      expect(allowed).toBe(500)
    } finally {
      await another.close()
    }
  })

  test('count across processes, for any number of concurrent requests and keys', async () => {
    const another = engine.another()
    try {
      const processes = [createLimits(engine.database(), vault), createLimits(another, vault)]
      // On SQLite, limits are in the memory of its one process.
      const shared = engine.name === 'postgres' ? processes : processes.slice(0, 1)
      // Odd rounds use the opposite order, which must not deadlock.
      const asked = Array.from({ length: 400 }, (_, n) => {
        const place = n % 40 < 20 ? n % 20 : 19 - (n % 20)
        return { key: `key ${place}`, n }
      })
      const verdicts = await Promise.all(
        asked.map(async ({ key, n }) => {
          const verdict = await shared[Math.floor(n / 20) % shared.length]?.consume(key, window)
          return { key, allowed: verdict?.allowed }
        }),
      )
      const allowed = Map.groupBy(
        verdicts.filter((verdict) => verdict.allowed),
        ({ key }) => key,
      )
      expect([...allowed.values()].map((of) => of.length)).toEqual(Array(20).fill(3))
    } finally {
      await another.close()
    }
  })

  test('are stored without their keys, which may name a person', async () => {
    const limits = createLimits(engine.database(), vault)
    for (const count of [limits.consume, limits.consumeInBlocks])
      await count('messages:grace@example.com', window)
    const { rows } = await sql`select key from rate_limits`.execute(engine.database().read)
    expect(rows.length > 0).toBe(engine.name === 'postgres')
    expect(JSON.stringify(rows)).not.toContain('grace')
  })
})
