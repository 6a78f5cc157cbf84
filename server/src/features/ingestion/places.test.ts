import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAgent, type Agent } from '#features/agents/index.ts'
import { deleteSource, getSource, ingestTicket } from '#features/knowledge/index.ts'
import { createJobs } from '#platform/jobs/create-jobs.ts'
import { createJobRunner } from '#platform/jobs/job-runner.ts'
import { describeInstance, type TestInstance, type Person } from '#test/support/test-instance.ts'
import { runIngestion } from '#test/support/knowledge/run-ingestion.ts'
import { startSite, type Site } from '#test/support/servers/site-server.ts'
import { addFileSource, addUrlSource } from './index.ts'
import { crawlSource, ingestSource } from './ingest-source.ts'

describeInstance('worker slots', (open) => {
  let instance: TestInstance
  let ada: Person
  let agent: Agent
  let site: Site

  beforeAll(async () => {
    site = await startSite({
      '/': '<title>Home</title><p>start <a href="/one">One</a>',
      '/one': 'One',
    })
    instance = await open({ OUTBOUND_ALLOW_PRIVATE: site.host })
    ada = await instance.person()
    agent = await createAgent(instance.ctx, ada, { name: 'Helper' })
  })
  afterAll(() => site.stop())

  const statusOf = async (id: string) => (await getSource(instance.ctx, ada.workspaceId, id)).status

  function addCrawl() {
    return addUrlSource(instance.ctx, ada.workspaceId, {
      appId: agent.id,
      kind: 'url',
      url: `${site.origin}/`,
      crawl: { depth: 1, maxPages: 50, include: [], exclude: [], title: null },
      refreshEvery: null,
    })
  }

  test('are never all occupied by long crawls, so that files are still read', async () => {
    site.pages['/robots.txt'] = { body: 'User-agent: *\nCrawl-delay: 30' }
    const crawls: string[] = []
    for (let n = 0; n < 4; n++) crawls.push((await addCrawl()).id)
    const runner = createJobRunner(instance.ctx, createJobs(instance.ctx.clock), [
      ingestSource,
      crawlSource,
    ])
    const statuses = async () => (await Promise.all(crawls.map(statusOf))).sort()
    try {
      await runner.start()
      await expect
        .poll(statuses, { timeout: 10_000 })
        .toEqual(['processing', 'processing', 'queued', 'queued'])
      const file = { appId: agent.id, filename: 'a.md', bytes: [Buffer.from('One quokka.')] }
      const { id } = await addFileSource(instance.ctx, ada.workspaceId, file)
      await expect.poll(() => statusOf(id), { timeout: 10_000 }).toBe('ready')
      expect(await statuses()).toEqual(['processing', 'processing', 'queued', 'queued'])
    } finally {
      await runner.stop()
      for (const id of crawls) await deleteSource(instance.ctx, ada.workspaceId, id)
    }
  })

  test('a crawl that was enqueued as a file moves to the job of crawls', async () => {
    delete site.pages['/robots.txt']
    const { id, workspaceId } = await addCrawl()
    const { db, jobs } = instance.ctx
    await db.write(async (tx) => {
      await tx.deleteFrom('jobs').where('key', '=', id).execute()
      await jobs.enqueue(tx, ingestTicket, { sourceId: id }, { key: id, workspaceId })
    })
    await runIngestion(instance)
    expect(await statusOf(id)).toBe('ready')
    const ran = await db.read.selectFrom('jobs').select('kind').where('key', '=', id).execute()
    expect(ran.map(({ kind }) => kind).sort()).toEqual(['knowledge.crawl', 'knowledge.ingest'])
  })
})
