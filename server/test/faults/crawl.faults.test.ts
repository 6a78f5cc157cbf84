import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { describeEngines } from '#test/support/databases/engines.ts'
import { startServer } from '#test/support/servers/model-server.ts'
import { cleansUp, startParley } from '#test/support/processes/parley-process.ts'
import { until } from '#test/support/until.ts'
import { callOperation } from './call-operation.ts'
import { kill, letTimePass } from './kill.ts'
import { recordFault } from './record-fault.ts'
import { serviceEnvironment } from './service-environment.ts'
import { countChunks, countIndexed, textsOf, untilRead } from './stored-chunks.ts'

const paths = ['/', '/one', '/two', '/long', '/four', '/five']
const rows = 10_000

/** A website that withholds pages until the test releases them. */
async function startSite() {
  const held = new Set<string>()
  const server = await startServer(async (response, { path }) => {
    while (held.has(path) && !response.destroyed) await sleep(5)
    const body = pageOf(path)
    response.writeHead(body === null ? 404 : 200, { 'content-type': 'text/html' }).end(body)
  })
  const timesAsked = (path: string) => server.requests.filter((one) => one.path === path).length
  return { ...server, host: new URL(server.origin).host, held, timesAsked }
}

function pageOf(path: string): string | null {
  if (!paths.includes(path)) return null
  const links = path === '/' ? paths.map((to) => `<a href="${to}">${to}</a>`).join(' ') : ''
  const cells = Array.from({ length: rows }, (_, n) => `<tr><td>n${n}<td>a thing`).join('')
  const long = path === '/long' ? `<table><tr><th>name<th>about${cells}</table>` : ''
  return `<title>${path}</title><main><p>The thing of ${path}.</p>${long}${links}</main>`
}

describeEngines('kill -9 during a crawl', (engine) => {
  cleansUp()

  test('the next process continues the crawl: every page is stored once and read once', async () => {
    const db = engine.database()
    const site = await startSite()
    const environment = {
      ...serviceEnvironment(engine.settings()),
      OUTBOUND_ALLOW_PRIVATE: site.host,
    }
    const call = (operation: string, input: object) => callOperation(environment, operation, input)
    const { id: app_id } = await call('create_app', { name: 'Helpdesk' })
    const crawl = { app_id, kind: 'url', url: `${site.origin}/`, crawl_depth: 1 }
    const { id: source_id } = await call('add_knowledge_source', crawl)
    const killWhen = async (what: string, isSo: () => boolean | Promise<boolean>) => {
      const service = await startParley(environment)
      await until(what, isSo)
      await kill(service, db)
      await letTimePass(db)
    }
    // Withheld pages cannot be read before the kill, however late it happens.
    site.held.add('/two').add('/four')
    await killWhen('the second page is on its way', () => site.timesAsked('/two') === 1)
    site.held.delete('/two')
    const before = await countChunks(db)
    const isBeingStored = async () => (await countChunks(db)) > before + 2
    await killWhen('some of the long page is stored', isBeingStored)
    await killWhen('the page after it is on its way', () => site.timesAsked('/four') > 0)
    site.held.delete('/four')
    const startedAt = performance.now()
    const last = await startParley(environment)
    await untilRead(db)
    const healthyAfterMs = performance.now() - startedAt

    const source = await call('get_knowledge_source', { source_id })
    expect(source).toMatchObject({ status: 'ready', error: null, document_count: paths.length })
    const documents = await db.read
      .selectFrom('knowledge_documents')
      .select(['id', 'url', 'status'])
      .execute()
    expect(documents.map(({ url }) => new URL(String(url)).pathname).toSorted()).toEqual(
      paths.toSorted(),
    )
    expect(new Set(documents.map(({ status }) => status))).toEqual(new Set(['ready']))
    let chunks = 0
    for (const { id, url } of documents) {
      const texts = await textsOf(db, id)
      chunks += texts.length
      const { pathname } = new URL(String(url))
      expect(texts[0]).toContain(`The thing of ${pathname}`)
      const names = texts.flatMap((text) => text.match(/n\d+(?= \|)/g) ?? [])
      expect(names).toEqual(
        pathname === '/long' ? Array.from({ length: rows }, (_, n) => `n${n}`) : [],
      )
    }
    expect([source.chunk_count, await countChunks(db)]).toEqual([chunks, chunks])
    expect(await countIndexed(db, 'thing')).toBe(chunks)
    for (const path of ['/', '/one', '/five']) expect(site.timesAsked(path), path).toBe(1)
    const fault = 'kill -9 during a crawl: every page is stored once'
    const tries = paths.length
    recordFault({ fault, engine: engine.name, tries, lost: 0, failed: 0, healthyAfterMs })
    last.signal('SIGTERM')
    await last.finished
    await site.stop()
  })
})
