import { beforeAll, describe, expect, test } from 'vitest'
import { dayMs } from '#kernel/durations.ts'
import { newId } from '#kernel/ids.ts'
import { describeInstance, type TestInstance, type Person } from '#test/support/test-instance.ts'
import {
  setUpCreditTurns,
  outcomeOf,
  creditTurnsOn,
  type CreditTurns,
} from '#test/support/chat/credit-turns.ts'
import { getCredits } from './get-credits.ts'
import { setCreditCap, type CapChange } from './set-credit-cap.ts'

describeInstance('caps on credits', (open) => {
  let instance: TestInstance
  let spending: CreditTurns
  beforeAll(async () => {
    instance = await open()
    spending = await setUpCreditTurns(instance)
  })

  const cap = (person: Person, change: Partial<CapChange> & Pick<CapChange, 'amountMicros'>) =>
    setCreditCap(instance.ctx, person, {
      subject: 'workspace',
      subjectId: '',
      period: 'day',
      ...change,
    })

  describe('a cap', () => {
    test('lets turns start only while the maximum usage of all of them fits', async () => {
      const person = await instance.person()
      await cap(person, { amountMicros: 1_000 })
      const results = await Promise.all(
        Array.from({ length: 200 }, () => outcomeOf(spending.run(person, 90, 60))),
      )
      const done = results.filter((result) => result === 'done').length
      expect(new Set(results)).toEqual(new Set(['done', 'credit_cap_reached']))
      const { usedThisMonthMicros } = await getCredits(instance.ctx, person.workspaceId)
      expect(usedThisMonthMicros).toBe(done * 60)
      expect(usedThisMonthMicros).toBeLessThanOrEqual(1_000)
      // The first eleven always fit.
      expect(done).toBeGreaterThanOrEqual(11)
      await spending.run(person, 1_000 - done * 60, 0)
      expect(await outcomeOf(spending.run(person, 1_001 - done * 60, 0))).toBe('credit_cap_reached')
    })

    test('counts usage from before it was set', async () => {
      const person = await instance.person()
      await spending.run(person, 10, 70)
      await cap(person, { amountMicros: 100 })
      expect(await outcomeOf(spending.run(person, 31, 0))).toBe('credit_cap_reached')
      await spending.run(person, 30, 30)
    })

    test('that is set while turns run counts each turn once', async () => {
      const person = await instance.person()
      const begun = await Promise.all(Array.from({ length: 40 }, () => spending.turn(person)))
      await Promise.all([
        ...begun.slice(0, 20).map((credits) => spending.finish(credits, 3)),
        cap(person, { amountMicros: 500 }).then(() =>
          Promise.all(Array.from({ length: 20 }, () => spending.run(person, 5, 4))),
        ),
        ...begun.slice(20).map((credits) => spending.finish(credits, 3)),
      ])
      const [window] = await instance.ctx.db.read
        .selectFrom('credit_windows')
        .selectAll()
        .where('workspace_id', '=', person.workspaceId)
        .execute()
      expect(window?.used_micros).toBe(40 * 3 + 20 * 4)
      expect(await spending.sum(person)).toBe(-200)
    })

    test('resets the next day, and a turn counts towards the day on which it began', async () => {
      const person = await instance.person()
      await cap(person, { amountMicros: 100 })
      const late = await spending.turn(person)
      await late.holdForModel({ promptTokens: 0, completionTokens: 100 })
      expect(await outcomeOf(spending.run(person, 1, 1))).toBe('credit_cap_reached')
      instance.advance(dayMs)
      await spending.run(person, 100, 0)
      await spending.finish(late, 100)
      await spending.run(person, 100, 100)
      expect(await outcomeOf(spending.run(person, 1, 1))).toBe('credit_cap_reached')
    })

    test('on an agent, a key or an end user does not affect the others', async () => {
      const person = await instance.person()
      await cap(person, { subject: 'end_user', subjectId: '*', amountMicros: 50 })
      await cap(person, { subject: 'end_user', subjectId: 'ann', amountMicros: 80 })
      await spending.run(person, 50, 50, { endUser: 'bob' })
      expect(await outcomeOf(spending.run(person, 1, 1, { endUser: 'bob' }))).toBe(
        'credit_cap_reached',
      )
      await spending.run(person, 80, 80, { endUser: 'ann' })
      expect(await outcomeOf(spending.run(person, 1, 1, { endUser: 'ann' }))).toBe(
        'credit_cap_reached',
      )
      await spending.run(person, 50, 50, { endUser: 'eve' })
      await spending.run(person, 500, 500)
    })

    test('no longer applies after it is removed or raised', async () => {
      const person = await instance.person()
      await cap(person, { amountMicros: 10 })
      await spending.run(person, 10, 10)
      expect(await outcomeOf(spending.run(person, 1, 1))).toBe('credit_cap_reached')
      await cap(person, { amountMicros: 11 })
      await spending.run(person, 1, 1)
      expect(await outcomeOf(spending.run(person, 1, 1))).toBe('credit_cap_reached')
      await cap(person, { amountMicros: null })
      await spending.run(person, 1_000, 1_000)
    })

    test('on an agent or key of another workspace is refused', async () => {
      const person = await instance.person()
      for (const subject of ['agent', 'key'] as const) {
        const set = cap(person, { subject, subjectId: newId(), amountMicros: 1 })
        expect(await outcomeOf(set)).toBe('record_not_found')
      }
    })
  })

  describe('the hold of a turn', () => {
    test('is not available to other turns until the turn ends; then its unused part is', async () => {
      const person = await instance.person()
      await cap(person, { amountMicros: 100 })
      const first = await spending.turn(person)
      await first.holdForModel({ promptTokens: 0, completionTokens: 80 })
      expect(await outcomeOf(spending.run(person, 21, 0))).toBe('credit_cap_reached')
      await spending.finish(first, 10)
      await spending.run(person, 90, 90)
    })

    test('expires a minute after the last renewal if its process dies', async () => {
      const person = await instance.person()
      await cap(person, { amountMicros: 100 })
      const lost = await spending.turn(person)
      await lost.holdForModel({ promptTokens: 0, completionTokens: 100 })
      lost.end()
      expect(await outcomeOf(spending.run(person, 1, 1))).toBe('credit_cap_reached')
      instance.advance(60_000)
      await spending.run(person, 100, 100)
    })

    test('does not outlast its process by the day that the clock was ahead', async () => {
      const person = await instance.person()
      await cap(person, { amountMicros: 100, period: 'month' })
      instance.advance(dayMs)
      const lost = await spending.turn(person)
      await lost.holdForModel({ promptTokens: 0, completionTokens: 100 })
      lost.end()
      instance.advance(-dayMs)
      await spending.run(person, 100, 100)
    })

    test('grows with each model call by the amount that the previous calls did not leave', async () => {
      const person = await instance.person()
      await cap(person, { amountMicros: 100 })
      const credits = await spending.turn(person)
      const most = { promptTokens: 0, completionTokens: 60 }
      await credits.holdForModel(most)
      credits.settleModel({ promptTokens: 0, completionTokens: 30 })
      await credits.holdForModel(most)
      credits.settleModel({ promptTokens: 0, completionTokens: 30 })
      expect(await outcomeOf(credits.holdForModel(most))).toBe('credit_cap_reached')
      await spending.finish(credits, 60)
      await spending.run(person, 40, 40)
    })

    test('is the maximum charge, regardless of the provider’s count', async () => {
      const person = await instance.person()
      await cap(person, { amountMicros: 100 })
      const of = (completionTokens: number) => ({ promptTokens: 0, completionTokens })
      const credits = await spending.turn(person)
      await credits.holdForModel(of(60))
      credits.settleModel(of(40))
      await credits.holdFor(20)
      expect(credits.chargeFor(of(40)).amount_micros).toBe(-40)
      await credits.holdForModel(of(30))
      expect(credits.chargeFor(of(40 + 90)).amount_micros).toBe(-70)
      const unlimited = await spending.turn(await instance.person())
      expect(unlimited.chargeFor(of(90)).amount_micros).toBe(-90)
    })

    test('is released when the turn does not start', async () => {
      const person = await instance.person()
      await cap(person, { amountMicros: 100 })
      const credits = await spending.turn(person)
      await credits.holdForModel({ promptTokens: 0, completionTokens: 100 })
      await credits.release()
      await spending.run(person, 100, 100)
    })
  })
})

describeInstance('a cap', (open) => {
  test('is enforced across two processes that run two hundred turns', async () => {
    const instance = await open()
    const here = await setUpCreditTurns(instance)
    const there = creditTurnsOn(await instance.again(), here.operator)
    const person = await instance.person()
    const place = { subject: 'workspace', subjectId: '', period: 'day' } as const
    await setCreditCap(instance.ctx, person, { ...place, amountMicros: 1_000 })
    const results = await Promise.all(
      Array.from({ length: 200 }, (_, n) =>
        outcomeOf((n % 2 === 0 ? here : there).run(person, 90, 60)),
      ),
    )
    expect(new Set(results)).toEqual(new Set(['done', 'credit_cap_reached']))
    const done = results.filter((result) => result === 'done').length
    const { usedThisMonthMicros } = await getCredits(instance.ctx, person.workspaceId)
    expect(usedThisMonthMicros).toBe(done * 60)
    expect(usedThisMonthMicros).toBeLessThanOrEqual(1_000)
  })
})
