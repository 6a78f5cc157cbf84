import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { hourMs } from '#kernel/durations.ts'
import { planNames, type Plan } from '#kernel/plan.ts'
import { describeInstance, type TestInstance, type Person } from '#test/support/test-instance.ts'
import { setUpCreditTurns, outcomeOf, type CreditTurns } from '#test/support/chat/credit-turns.ts'
import { creditJobs } from './credit-jobs.ts'
import { assignPlan } from './change-plan.ts'
import { sumCountedUse } from './day-store.ts'
import { grantCredits } from './grant-credits.ts'
import { setCreditCap } from './set-credit-cap.ts'

/** A change to a workspace’s credits; the turns of one step run concurrently. */
const step = fc.oneof(
  fc.record({
    kind: fc.constant('turns' as const),
    turns: fc.array(
      fc.record({
        most: fc.integer({ min: 0, max: 400_000 }),
        part: fc.integer({ min: 0, max: 100 }),
        endUser: fc.constantFrom('ann', 'bob'),
      }),
      { minLength: 1, maxLength: 6 },
    ),
  }),
  fc.record({ kind: fc.constant('plan' as const), plan: fc.constantFrom(...planNames) }),
  fc.record({ kind: fc.constant('grant' as const), micros: fc.integer({ min: -9, max: 500_000 }) }),
  fc.record({ kind: fc.constant('time' as const), hours: fc.integer({ min: 1, max: 800 }) }),
  fc.record({
    kind: fc.constant('cap' as const),
    subject: fc.constantFrom('workspace' as const, 'end_user' as const),
    period: fc.constantFrom('day' as const, 'month' as const),
    micros: fc.option(fc.integer({ min: 0, max: 600_000 })),
  }),
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

describeInstance('after any sequence of credit changes', (open) => {
  let instance: TestInstance
  let spending: CreditTurns
  beforeAll(async () => {
    instance = await open({ PLAN_CREDITS: 'free=1,builder=2' })
    spending = await setUpCreditTurns(instance)
  })

  const putOn = ({ workspaceId }: Person, plan: Plan) =>
    assignPlan(instance.ctx, spending.operator.userId, { workspaceId, plan })

  async function take(person: Person, doing: Step): Promise<void> {
    const { ctx } = instance
    if (doing.kind === 'turns')
      await Promise.all(
        doing.turns.map(({ most, part, endUser }) =>
          outcomeOf(spending.run(person, most, Math.floor((most * part) / 100), { endUser })),
        ),
      )
    if (doing.kind === 'plan') await putOn(person, doing.plan)
    if (doing.kind === 'time') {
      instance.advance(doing.hours * hourMs)
      await keepBalances()
    }
    if (doing.kind === 'grant') {
      const grant = { workspaceId: person.workspaceId, note: null, idempotencyKey: undefined }
      await grantCredits(ctx, spending.operator.userId, { ...grant, amountMicros: doing.micros })
    }
    if (doing.kind === 'cap') {
      const { subject, period, micros } = doing
      const subjectId = subject === 'workspace' ? '' : '*'
      await setCreditCap(ctx, person, { subject, subjectId, period, amountMicros: micros })
    }
  }

  const keepBalances = () => runJob('billing.keep_balances')

  async function runJob(wanted: string): Promise<void> {
    const job = creditJobs.find(({ kind }) => kind === wanted)!
    const run = { id: 'x', attempt: 1, isLast: false, signal: new AbortController().signal }
    await job.run(instance.ctx, {}, run)
  }

  /** Compares every window with the ledger. */
  async function expectCounted(person: Person): Promise<void> {
    const { read } = instance.ctx.db
    const of = person.workspaceId
    const entries = await read
      .selectFrom('credit_entries')
      .selectAll()
      .where('workspace_id', '=', of)
      .execute()
    const windows = await read
      .selectFrom('credit_windows')
      .selectAll()
      .where('workspace_id', '=', of)
      .execute()
    const total = entries.reduce((sum, { amount_micros }) => sum + amount_micros, 0)
    for (const window of windows) {
      const counted = entries.filter(
        ({ kind, counted_at, end_user }) =>
          kind === 'turn' &&
          counted_at >= window.starts_at &&
          counted_at < window.ends_at &&
          (window.subject === 'workspace' || end_user === window.subject_id),
      )
      const used = counted.reduce((sum, { amount_micros }) => sum - amount_micros, 0)
      expect(window.used_micros, `${window.subject} ${window.period}`).toBe(used)
      if (window.period === 'balance') expect(window.limit_micros - used).toBe(total)
    }
    const held = await read
      .selectFrom('credit_reservations')
      .selectAll()
      .where('workspace_id', '=', of)
      .execute()
    expect(held).toEqual([])
    await runJob('billing.count_days')
    const used = entries.filter(({ kind }) => kind === 'turn')
    const sum = used.reduce((micros, { amount_micros }) => micros - amount_micros, 0)
    const always = { startsAt: 0, endsAt: 8_640_000_000_000_000 }
    expect(await sumCountedUse(read, of, always)).toBe(sum)
  }

  test('the counters equal the sum of the entries', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
        const person = await instance.person({ plan: 'free' })
        for (const doing of steps) {
          await take(person, doing)
          await expectCounted(person)
        }
      }),
      { numRuns: 25 },
    )
  })
})
