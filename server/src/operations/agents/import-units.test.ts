import { beforeAll, expect, test } from 'vitest'
import type { Jobs } from '#platform/jobs/jobs.ts'
import { openAgentTransfer } from '#test/support/complete-agent.ts'
import { actorOf, describeInstance, type TestInstance } from '#test/support/test-instance.ts'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'

const texts = 5
const pages = 250
/** Jobs that one short unit may enqueue. */
const mostJobs = 100

const document = {
  format: 'parley.agent',
  version: 1,
  agent: { name: 'Units', model: 'local/extractive' },
  knowledge: [
    ...Array.from({ length: texts }, (_, n) => ({ kind: 'text', title: `T${n}`, text: `T ${n}` })),
    ...Array.from({ length: pages }, (_, n) => ({ kind: 'url', url: `https://example.com/${n}` })),
  ],
}

/** What the database was asked to do for one unit. */
interface Unit {
  readonly isHidden: boolean
  readonly isFlushed: boolean
  /** Readings that were due before it. */
  readonly dueBefore: number
  enqueued: number
}

describeInstance('the units of an import of an agent', (open) => {
  let instance: TestInstance
  const units: Unit[] = []

  beforeAll(async () => {
    const here = await openAgentTransfer(open)
    instance = here.instance
    const operation = findOperation('import_app')!
    await runOperation(noting(), actorOf(here.ada), operation, { document })
  })

  /** The context of a process whose units are noted. */
  function noting() {
    const { ctx } = instance
    const write: typeof ctx.db.write = async (code, options = {}) => {
      const isHidden = options.isHidden === true
      const isFlushed = options.flush !== 'later'
      const unit: Unit = { isHidden, isFlushed, dueBefore: await countDue(), enqueued: 0 }
      units.push(unit)
      return await ctx.db.write((tx) => {
        unit.enqueued = 0 // A replay begins again.
        return code(tx)
      }, options)
    }
    const enqueue: Jobs['enqueue'] = async (...given) => {
      const unit = units.at(-1)
      if (unit !== undefined) unit.enqueued += 1
      await ctx.jobs.enqueue(...given)
    }
    return { ...ctx, db: { ...ctx.db, write }, jobs: { ...ctx.jobs, enqueue } }
  }

  async function countDue(): Promise<number> {
    const { count } = await instance.ctx.db.read
      .selectFrom('jobs')
      .select((e) => e.fn.countAll<number>().as('count'))
      .where('kind', 'like', 'knowledge.%')
      .where('finished_at', 'is', null)
      .where('run_at', '<=', instance.ctx.clock.now())
      .executeTakeFirstOrThrow()
    return Number(count)
  }

  test('are flushed when the agent is shown and when the last text is stored, not for each text', () => {
    const flushed = units.filter(({ isFlushed }) => isFlushed)
    // The bytes of the last text are one unit, its job another.
    expect(flushed).toHaveLength(3)
    expect(flushed[0]).toBe(units.find(({ isHidden }) => !isHidden))
    expect(units.slice(-2)).toEqual(flushed.slice(1))
  })

  test('enqueue a bounded number of jobs each, none of which is due before the agent is shown', async () => {
    const shown = units.findIndex(({ isHidden }) => !isHidden)
    expect(units[shown]).toMatchObject({ dueBefore: 0, enqueued: 0 })
    expect(units[shown + 1]).toMatchObject({ dueBefore: 0 })
    expect(Math.max(...units.map(({ enqueued }) => enqueued))).toBeLessThanOrEqual(mostJobs)
    expect(await countDue()).toBe(texts + pages)
  })
})
