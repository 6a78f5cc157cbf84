import { beforeAll, describe, expect, test } from 'vitest'
import { changeMemberRole, transferWorkspace } from '#features/members/index.ts'
import { createWorkspace, deleteWorkspace } from '#features/workspaces/index.ts'
import { dayMs } from '#kernel/durations.ts'
import { describeInstance, type Person, type TestInstance } from '#test/support/test-instance.ts'
import { outcomeOf, setUpCreditTurns, type CreditTurns } from '#test/support/chat/credit-turns.ts'
import { assignPlan } from './change-plan.ts'
import { creditJobs } from './credit-jobs.ts'
import { getCredits } from './get-credits.ts'
import { grantCredits } from './grant-credits.ts'

const credit = 1_000_000

describeInstance('credits that workspaces of one owner share', (open) => {
  let instance: TestInstance
  let spending: CreditTurns
  beforeAll(async () => {
    const limits = 'workspaces_per_person=20'
    instance = await open({ DEFAULT_PLAN: 'free', PLAN_CREDITS: 'free=1,studio=5', LIMITS: limits })
    spending = await setUpCreditTurns(instance)
  })

  async function another(person: Person): Promise<Person> {
    const { id } = await createWorkspace(instance.ctx, person.userId, { name: 'Another' })
    return { ...person, workspaceId: id }
  }

  async function startMonth(): Promise<void> {
    const job = creditJobs.find(({ kind }) => kind === 'billing.keep_balances')
    const run = { id: 'x', attempt: 1, isLast: false, signal: new AbortController().signal }
    await job?.run(instance.ctx, {}, run)
  }

  /** What the workspaces can use, by trying: turns of a tenth of a credit until none has any left. */
  async function useUp(workspaces: readonly Person[]): Promise<number> {
    let used = 0
    for (const one of workspaces)
      while ((await outcomeOf(spending.run(one, credit / 10, credit / 10))) === 'done')
        used += credit / 10
    return used
  }

  test('are used up together, however many workspaces the person creates', async () => {
    const person = await instance.person()
    const all = [person, await another(person), await another(person)]
    expect(await useUp(all)).toBe(credit)
    expect(await useUp([...all, await another(person)])).toBe(0)
    for (const one of all) expect(await spending.balance(one)).toBe(await spending.sum(one))
  })

  test('are all usable in any of the workspaces', async () => {
    const person = await instance.person()
    const [first, second] = [await another(person), await another(person)]
    await startMonth()
    await spending.run(first, credit / 2, credit / 2)
    await spending.run(second, credit / 2, credit / 2)
    expect(await outcomeOf(spending.run(person, 1, 1))).toBe('credits_used_up')
  })

  test('are never overdrawn by turns at the same time in several workspaces', async () => {
    const person = await instance.person()
    const all = [person, await another(person), await another(person)]
    const outcomes = await Promise.all(
      all.flatMap((one) =>
        Array.from({ length: 12 }, () => outcomeOf(spending.run(one, 90_000, 50_000))),
      ),
    )
    expect(new Set(outcomes)).toEqual(new Set(['done', 'credits_used_up']))
    const balances = await Promise.all(all.map((one) => spending.balance(one)))
    for (const left of balances) expect(left).toBeGreaterThanOrEqual(0)
    const used = outcomes.filter((outcome) => outcome === 'done').length * 50_000
    expect(balances.reduce<number>((sum, left) => sum + (left ?? 0), used)).toBe(credit)
  })

  test('are shown in each workspace that can use them', async () => {
    const person = await instance.person()
    await spending.run(person, credit / 10, credit / 10)
    const second = await another(person)
    await startMonth()
    const shown = await getCredits(instance.ctx, second.workspaceId)
    expect(shown).toMatchObject({ balanceMicros: 0, sharedMicros: 0.9 * credit })
  })

  test('are not granted again to a workspace that replaces a deleted one', async () => {
    const person = await instance.person()
    const first = await another(person)
    expect(await useUp([first])).toBe(credit)
    await deleteWorkspace(instance.ctx, first, 'Another')
    expect(await useUp([await another(person), person])).toBe(0)
  })

  test('stay usable when the workspace that holds them is deleted', async () => {
    const person = await instance.person()
    const first = await another(person)
    await spending.run(first, credit / 10, credit / 10)
    await deleteWorkspace(instance.ctx, first, 'Another')
    expect(await useUp([person])).toBe(0.9 * credit)
  })

  test('are granted once a month, and what is left expires in every workspace', async () => {
    const person = await instance.person()
    const all = [person, await another(person)]
    await startMonth()
    await spending.run(all[1]!, credit / 2, credit / 4)
    instance.advance(31 * dayMs)
    await startMonth()
    await startMonth()
    const balances = await Promise.all(all.map(async (one) => (await spending.balance(one)) ?? 0))
    expect(balances[0]! + balances[1]!).toBe(credit)
    for (const one of all) expect(await spending.balance(one)).toBe(await spending.sum(one))
    expect(await useUp(all)).toBe(credit)
  })

  describe('do not include', () => {
    test('those of a plan that was assigned or bought for one workspace', async () => {
      const person = await instance.person()
      const own = await another(person)
      await assignPlan(instance.ctx, spending.operator.userId, {
        workspaceId: own.workspaceId,
        plan: 'studio',
      })
      expect(await useUp([person])).toBe(credit)
      expect(await useUp([own])).toBe(5 * credit)
    })

    test('credits that an operator granted to one workspace', async () => {
      const person = await instance.person()
      const second = await another(person)
      await grantCredits(instance.ctx, spending.operator.userId, {
        workspaceId: second.workspaceId,
        amountMicros: credit,
        note: null,
        idempotencyKey: undefined,
      })
      expect(await useUp([person])).toBe(credit)
      expect(await useUp([second])).toBe(credit)
    })
  })

  describe('belong to the billing owner, so', () => {
    test('a workspace that is transferred takes its rest along, and the giver gets no more', async () => {
      const giver = await instance.person()
      const taker = await instance.person()
      const moved = await another(giver)
      await spending.run(moved, credit / 2, credit / 2)
      await instance.join(taker, moved.workspaceId, 'editor')
      await transferWorkspace(instance.ctx, moved, taker.userId)
      expect(await useUp([giver])).toBe(0)
      expect(await useUp([taker, moved])).toBe(1.5 * credit)
    })

    test('a further owner of a workspace adds nothing to it', async () => {
      const person = await instance.person()
      const friend = await instance.person()
      await instance.join(friend, person.workspaceId, 'editor')
      const { userId } = friend
      await changeMemberRole(instance.ctx, person, { userId, role: 'owner' })
      expect(await useUp([person])).toBe(credit)
      expect(await useUp([friend])).toBe(credit)
    })
  })
})
