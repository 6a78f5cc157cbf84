import { beforeAll, expect, test } from 'vitest'
import { actorOf, describeInstance } from '#test/support/test-instance.ts'
import {
  createCompleteAgent,
  openAgentTransfer,
  type Answer,
  type AgentTransfer,
  type Document,
} from '#test/support/complete-agent.ts'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'

describeInstance('an import of an agent that ends before its last unit', (open) => {
  let here: AgentTransfer
  let document: Document

  beforeAll(async () => {
    here = await openAgentTransfer(open)
    document = await here.exported(await createCompleteAgent(here))
  })

  /** The import ends at the first unit that others would see; a killed one cleans nothing up. */
  async function endImport(isKilled: boolean): Promise<void> {
    const { ctx } = here.instance
    let isOver = false
    const write: typeof ctx.db.write = async (unit, options) => {
      isOver ||= options?.isHidden !== true
      if (isOver && (isKilled || options?.isHidden !== true))
        throw new Error('the import has ended')
      return await ctx.db.write(unit, options)
    }
    const ending = { ...ctx, db: { ...ctx.db, write } }
    const operation = findOperation('import_app')!
    const ended = runOperation(ending, actorOf(here.ada), operation, { document })
    await expect(ended).rejects.toThrow('the import has ended')
  }

  async function rowsIn(
    table:
      | 'agents'
      | 'agent_versions'
      | 'products'
      | 'knowledge_sources'
      | 'custom_actions'
      | 'jobs',
  ): Promise<number> {
    const { count } = await here.instance.ctx.db.read
      .selectFrom(table)
      .select((e) => e.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    return Number(count)
  }

  const counted = async () => ({
    agents: await rowsIn('agents'),
    versions: await rowsIn('agent_versions'),
    products: await rowsIn('products'),
    sources: await rowsIn('knowledge_sources'),
    actions: await rowsIn('custom_actions'),
    jobs: await rowsIn('jobs'),
    listed: ((await here.call('list_apps', { limit: 100 })).items as Answer[]).length,
  })

  test('leaves no row when it fails', async () => {
    const before = await counted()
    await endImport(false)
    expect(await counted()).toEqual(before)
  })

  test('leaves a deleted agent, which is purged with its contents, when its process dies', async () => {
    const before = await counted()
    await endImport(true)
    const after = await counted()
    const { agents, products, sources } = before
    const { versions, actions, listed } = before
    expect(after).toMatchObject({ versions, actions, listed, agents: agents + 1 })
    expect(after.products).toBeGreaterThan(products)
    expect(after.sources).toBeGreaterThan(sources)
  })
})
