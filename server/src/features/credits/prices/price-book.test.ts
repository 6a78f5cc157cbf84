import { expect, test } from 'vitest'
import { newId } from '#kernel/ids.ts'
import { describeInstance } from '#test/support/test-instance.ts'
import { currentPrice } from './price.ts'
import { insertPrice } from './price-store.ts'

describeInstance('prices', (open) => {
  test('a price set by another process applies immediately', async () => {
    const { ctx } = await open()
    const id = newId()
    const pattern = `openai/${id}`
    // Writes to the database directly, as another process would; the cache is not notified.
    const set = (micros: number) => {
      const now = ctx.clock.now()
      const row = {
        pattern,
        valid_from: now,
        created_by: id,
        created_at: now,
        call_micros: null,
        cached_micros_per_million: null,
      }
      const prices = {
        prompt_micros_per_million: micros,
        completion_micros_per_million: micros,
      }
      return ctx.db.write((tx) => insertPrice(tx, { id: newId(now), ...row, ...prices }))
    }
    await set(1_000)
    expect(await currentPrice(ctx, pattern)).toMatchObject({ promptMicrosPerMillion: 1_000 })
    await set(2_000)
    expect(await currentPrice(ctx, pattern)).toMatchObject({ promptMicrosPerMillion: 2_000 })
  })
})
