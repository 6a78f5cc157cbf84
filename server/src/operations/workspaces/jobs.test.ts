import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { defineJob } from '#kernel/job.ts'
import { createJobs } from '#platform/jobs/create-jobs.ts'
import { createJobRunner } from '#platform/jobs/job-runner.ts'
import {
  actorOf,
  describeInstance,
  type TestInstance,
  type Person,
} from '#test/support/test-instance.ts'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'

const settle = defineJob({
  kind: 'checkout.settle_charge',
  input: z.object({ paymentId: z.string() }),
  maxAttempts: 2,
  backoffMs: () => 60_000,
  async run(_: Pick<TestInstance['ctx'], 'db' | 'clock' | 'log'>, { paymentId }) {
    if (paymentId !== 'p-good') throw new Error('connect ECONNREFUSED 10.0.0.7:443')
  },
})

describeInstance('the list of jobs', (open) => {
  let instance: TestInstance
  let operator: Person
  let customer: Person

  beforeAll(async () => {
    instance = await open()
    operator = await instance.person()
    customer = await instance.person()
  })

  async function list(person: Person, input: object = {}) {
    const operation = findOperation('list_jobs')
    if (operation === undefined) throw new Error('no such operation')
    const answer = await runOperation(instance.ctx, actorOf(person), operation, input)
    return answer as { items: { target: string }[]; next_cursor: string | null } // checked by its schema
  }

  async function enqueue({ workspaceId }: Person, paymentId: string, runAt?: number) {
    const options = { workspaceId, ...(runAt === undefined ? {} : { runAt }) }
    await instance.ctx.db.write((tx) =>
      instance.ctx.jobs.enqueue(tx, settle, { paymentId }, options),
    )
    instance.advance(1)
  }

  const run = () => createJobRunner(instance.ctx, createJobs(instance.ctx.clock), [settle]).runDue()

  test('are listed for their own workspace only, newest first', async () => {
    await enqueue(customer, 'p-good')
    await enqueue(customer, 'p-bad')
    await enqueue(operator, 'p-other')
    await run()
    const now = new Date(instance.ctx.clock.now())
    const later = new Date(now.getTime() + 60_000).toISOString()
    const { items } = await list(customer)
    const shared = { kind: 'checkout.settle_charge', attempts: 1, last_error: null }
    expect(items).toMatchObject([
      { ...shared, target: 'p-bad', status: 'queued', next_run_at: later, finished_at: null },
      { ...shared, target: 'p-good', status: 'done', next_run_at: null },
    ])
  })

  test('show errors only to operators, because errors may name hosts of their network', async () => {
    const [told] = (await list(operator)).items
    expect(told).toMatchObject({
      target: 'p-other',
      last_error: 'connect ECONNREFUSED 10.0.0.7:443',
    })
    expect(JSON.stringify(await list(customer))).not.toContain('10.0.0.7')
  })

  test('name the record that they work on, and whom an invitation is for only to admins', async () => {
    const { ctx } = instance
    const boss = await instance.person()
    const invited = findOperation('invite_member')!
    const input = { role: 'viewer', email: 'bob@example.com' }
    const { id } = await runOperation(ctx, actorOf(boss), invited, input)
    const mail = defineJob({
      kind: 'members.mail_invitation',
      input: z.object({ id: z.string(), round: z.int() }),
      run: () => Promise.resolve(),
    })
    const { workspaceId } = boss
    const work = { id: String(id), round: 1 }
    await ctx.db.write((tx) => ctx.jobs.enqueue(tx, mail, work, { workspaceId }))
    const record = { kind: 'invitation', id, name: 'bob@example.com', agent: null }
    expect((await list(boss)).items).toMatchObject([{ target: id, record }])
    const viewer = await instance.person()
    await instance.join(viewer, workspaceId, 'viewer')
    const seen = await list(viewer, { workspace_id: workspaceId })
    expect(seen.items).toMatchObject([{ target: id, record: null }])
    expect(JSON.stringify(seen)).not.toContain('bob@')
  })

  test('include failed ones, and are listed by status and page by page', async () => {
    instance.advance(60_000)
    await run()
    const failed = await list(customer, { status: 'failed' })
    expect(failed.items).toMatchObject([{ target: 'p-bad', attempts: 2, status: 'failed' }])
    const first = await list(customer, { limit: 1 })
    const second = await list(customer, { limit: 1, cursor: first.next_cursor })
    expect([...first.items, ...second.items].map(({ target }) => target)).toEqual([
      'p-bad',
      'p-good',
    ])
    expect(second.next_cursor).toBeNull()
    await expect(list(customer, { cursor: 'nonsense' })).rejects.toMatchObject({
      code: 'invalid_input',
    })
  })
})
