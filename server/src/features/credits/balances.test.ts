import { beforeAll, describe, expect, test } from 'vitest'
import { dayMs } from '#kernel/durations.ts'
import type { Plan } from '#kernel/plan.ts'
import { describeInstance, type TestInstance, type Person } from '#test/support/test-instance.ts'
import { setUpCreditTurns, outcomeOf, type CreditTurns } from '#test/support/chat/credit-turns.ts'
import { creditJobs } from './credit-jobs.ts'
import { bookUsage } from './book-entry.ts'
import { assignPlan } from './change-plan.ts'
import { getCredits } from './get-credits.ts'
import { grantCredits } from './grant-credits.ts'

describeInstance('credit balances', (open) => {
  let instance: TestInstance
  let spending: CreditTurns
  beforeAll(async () => {
    instance = await open({ PLAN_CREDITS: 'free=1,studio=5' })
    spending = await setUpCreditTurns(instance)
  })

  const putOn = ({ workspaceId }: Person, plan: Plan) =>
    assignPlan(instance.ctx, spending.operator.userId, { workspaceId, plan })

  describe('a balance', () => {
    test('is the plan’s monthly credits minus the used ones', async () => {
      const person = await instance.person({ plan: 'free' })
      expect(await spending.balance(person)).toBe(1_000_000)
      await spending.run(person, 600_000, 400_000)
      expect(await spending.balance(person)).toBe(600_000)
      expect(await outcomeOf(spending.run(person, 600_001, 0))).toBe('credits_used_up')
      expect(await spending.sum(person)).toBe(600_000)
    })

    test('is never overdrawn by concurrent turns', async () => {
      const person = await instance.person({ plan: 'free' })
      const results = await Promise.all(
        Array.from({ length: 100 }, () => outcomeOf(spending.run(person, 90_000, 50_000))),
      )
      expect(new Set(results)).toEqual(new Set(['done', 'credits_used_up']))
      const left = await spending.balance(person)
      expect(left).toBeGreaterThanOrEqual(0)
      expect(left).toBe(await spending.sum(person))
    })

    test('is not required for a turn that costs nothing', async () => {
      const person = await instance.person({ plan: 'free' })
      await spending.run(person, 1_000_000, 1_000_000)
      await spending.run(person, 0, 0)
      expect(await outcomeOf(spending.run(person, 1, 0))).toBe('credits_used_up')
    })

    test('is unlimited if the plan is, and usage is still recorded', async () => {
      const person = await instance.person({ plan: 'builder' })
      await spending.run(person, 5_000_000, 5_000_000)
      expect(await getCredits(instance.ctx, person.workspaceId)).toMatchObject({
        balanceMicros: null,
        usedThisMonthMicros: 5_000_000,
      })
    })

    test('after unlimited use starts with the plan’s credits', async () => {
      const person = await instance.person({ plan: 'builder' })
      await spending.run(person, 9_000_000, 9_000_000)
      await putOn(person, 'free')
      expect(await spending.balance(person)).toBe(1_000_000)
      await spending.run(person, 1, 1)
      expect(await spending.balance(person)).toBe(999_999)
      expect(await spending.sum(person)).toBe(999_999)
    })

    test('grows by the operator’s grants, once per key, and only the operator can grant', async () => {
      const person = await instance.person({ plan: 'free' })
      const grant = { workspaceId: person.workspaceId, note: null, idempotencyKey: 'thanks' }
      const give = (userId: string, amountMicros: number) =>
        grantCredits(instance.ctx, userId, { ...grant, amountMicros })
      expect(await outcomeOf(give(person.userId, 5))).toBe('operator_required')
      await spending.run(person, 1, 1)
      const twice = [give(spending.operator.userId, 500), give(spending.operator.userId, 500)]
      expect((await Promise.all(twice)).toSorted()).toEqual([false, true])
      expect(await spending.balance(person)).toBe(1_000_499)
      expect(await spending.sum(person)).toBe(1_000_499)
    })

    test('includes entries that are not turns, once per key', async () => {
      const person = await instance.person({ plan: 'free' })
      await spending.run(person, 1, 1)
      const embedding = {
        workspaceId: person.workspaceId,
        agentId: 'agent',
        keyId: null,
        endUser: null,
        kind: 'embedding' as const,
        sessionId: null,
        messageId: null,
        model: 'openai/embed',
        promptTokens: 9,
        completionTokens: null,
        costMicros: 99,
        idempotencyKey: 'batch 1',
      }
      for (const isNew of [true, false])
        expect(await instance.ctx.db.write((tx) => bookUsage(tx, 5, embedding))).toBe(isNew)
      expect(await spending.balance(person)).toBe(999_900)
      expect(await spending.sum(person)).toBe(999_900)
    })
  })

  describe('monthly credits', () => {
    const runJobs = async () => {
      const job = creditJobs.find(({ kind }) => kind === 'billing.keep_balances')!
      const jobRun = { id: 'x', attempt: 1, isLast: false, signal: new AbortController().signal }
      await job.run(instance.ctx, {}, jobRun)
    }

    test('are granted once, even by two processes, and the last month’s remainder expires', async () => {
      const person = await instance.person({ plan: 'free' })
      await Promise.all([runJobs(), runJobs()])
      expect(await spending.balance(person)).toBe(1_000_000)
      await spending.run(person, 300_000, 300_000)
      const given = { workspaceId: person.workspaceId, note: null, idempotencyKey: undefined }
      await grantCredits(instance.ctx, spending.operator.userId, { ...given, amountMicros: 40 })
      instance.advance(31 * dayMs)
      await Promise.all([runJobs(), runJobs()])
      await runJobs()
      expect(await spending.balance(person)).toBe(1_000_040)
      expect(await spending.sum(person)).toBe(1_000_040)
      const entries = await instance.ctx.db.read
        .selectFrom('credit_entries')
        .select(['kind', 'amount_micros'])
        .where('workspace_id', '=', person.workspaceId)
        .orderBy('created_at')
        .orderBy('id')
        .execute()
      expect(entries.map(({ kind, amount_micros }) => [kind, amount_micros])).toEqual([
        ['grant', 1_000_000],
        ['turn', -300_000],
        ['grant', 40],
        ['expiry', -700_000],
        ['grant', 1_000_000],
      ])
    })

    test('of a larger plan are granted once with the plan change, and a smaller plan revokes none', async () => {
      const person = await instance.person({ plan: 'free' })
      await spending.run(person, 10, 10)
      await putOn(person, 'studio')
      await putOn(person, 'free')
      await putOn(person, 'studio')
      await runJobs()
      expect(await spending.balance(person)).toBe(4_999_990)
      expect(await spending.sum(person)).toBe(4_999_990)
      instance.advance(31 * dayMs)
      await runJobs()
      expect(await spending.balance(person)).toBe(5_000_000)
    })

    test('that were overdrawn stay overdrawn after an unlimited plan', async () => {
      const revoke = ({ workspaceId }: Person) => {
        const grant = { workspaceId, note: null, idempotencyKey: undefined }
        const userId = spending.operator.userId
        return grantCredits(instance.ctx, userId, { ...grant, amountMicros: -300_000 })
      }
      const [before, meanwhile] = [
        await instance.person({ plan: 'free' }),
        await instance.person({ plan: 'free' }),
      ]
      for (const person of [before, meanwhile]) {
        await spending.run(person, 1_000_000, 1_000_000)
        if (person === before) await revoke(person)
        await putOn(person, 'builder')
        await spending.run(person, 7_000_000, 7_000_000)
        if (person === meanwhile) await revoke(person)
        await putOn(person, 'free')
        // Before the balance is opened, and after.
        expect(await spending.balance(person)).toBe(-300_000)
        await runJobs()
        expect(await spending.balance(person)).toBe(-300_000)
        expect(await spending.sum(person)).toBe(-300_000)
        expect(await outcomeOf(spending.run(person, 1, 1))).toBe('credits_used_up')
      }
    })

    test('leave bought and granted credits untouched during an unlimited plan', async () => {
      const person = await instance.person({ plan: 'free' })
      const given = { workspaceId: person.workspaceId, note: null, idempotencyKey: undefined }
      await grantCredits(instance.ctx, spending.operator.userId, {
        ...given,
        amountMicros: 400_000,
      })
      await spending.run(person, 300_000, 300_000)
      await putOn(person, 'builder')
      await spending.run(person, 7_000_000, 7_000_000)
      await putOn(person, 'free')
      // The rest of the month’s credits was used first. Before the balance is opened, and after.
      expect(await spending.balance(person)).toBe(400_000)
      await runJobs()
      expect(await spending.balance(person)).toBe(400_000)
      expect(await spending.sum(person)).toBe(400_000)
      // If less than that rest was used, what is left of it lapses as usual.
      instance.advance(31 * dayMs)
      await runJobs()
      await putOn(person, 'builder')
      await spending.run(person, 200_000, 200_000)
      await putOn(person, 'free')
      await runJobs()
      expect(await spending.balance(person)).toBe(1_200_000)
      instance.advance(31 * dayMs)
      await runJobs()
      expect(await spending.balance(person)).toBe(1_400_000)
      expect(await spending.sum(person)).toBe(1_400_000)
    })

    test('are not counted while credits are unlimited, and neither is the usage', async () => {
      const person = await instance.person({ plan: 'free' })
      await spending.run(person, 10, 10)
      await putOn(person, 'builder')
      await spending.run(person, 7_000_000, 7_000_000)
      expect(await spending.balance(person)).toBe(null)
      await putOn(person, 'free')
      await runJobs()
      expect(await spending.balance(person)).toBe(0)
      expect(await spending.sum(person)).toBe(0)
      instance.advance(31 * dayMs)
      await runJobs()
      expect(await spending.balance(person)).toBe(1_000_000)
    })
  })
})
