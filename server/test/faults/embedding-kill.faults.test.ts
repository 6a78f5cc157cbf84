import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startEmbeddingServer } from '../support/embedding-server.ts'
import { cleansUp, emptyFolder, parley, startParley } from '../support/parley-process.ts'

cleansUp()

// On SQLite, whose vectors need no extension of a server; units cut off anywhere are tested on both.
test('a service killed while it embeds goes on after its restart, each chunk with one vector', async () => {
  const provider = await startEmbeddingServer()
  const folder = await emptyFolder()
  const environment = {
    DATA_DIR: folder,
    DEMO: 'false',
    OPENAI_BASE_URL: provider.baseUrl,
    OPENAI_API_KEY: 'test',
    EMBEDDING_MODEL: 'openai/points',
  }
  const call = async (operation: string, input: object) => {
    const done = await parley(['call', operation, '-'], environment, JSON.stringify(input))
    if (done.code !== 0) throw new Error(done.stderr)
    return JSON.parse(done.stdout)
  }
  const first = await startParley(environment)
  const { id: app_id } = await call('create_app', { name: 'Helpdesk' })
  provider.delay(300)
  const text = Array.from({ length: 1500 }, (_, n) => `# Thing ${n}\n\nnumber${n}`).join('\n\n')
  const added = await call('add_knowledge_source', { app_id, title: 'Things', text })
  expect(added).toMatchObject({ status: 'processing', stage: 'embedding', chunk_count: 1500 })
  const source_id = added.id
  const database = new DatabaseSync(join(folder, 'parley.sqlite'), { readOnly: true })
  const countVectors = () =>
    Number(database.prepare('select count(*) as count from knowledge_vectors').get()?.count)
  while (countVectors() === 0) await sleep(5)
  first.signal('SIGKILL')
  await first.finished
  const stored = database
    .prepare('select text from knowledge_chunks join knowledge_vectors on chunk_id = id')
    .all()
    .map(({ text }) => String(text))
  expect(stored.length).toBeLessThan(1500)
  provider.delay(0)
  const asked = provider.texts.length
  const second = await startParley(environment)
  // Meanwhile words find it.
  const found = await call('search_knowledge', { app_id, query: 'number1499' })
  expect(found.items).toMatchObject([{ source_id }])
  let source = await call('get_knowledge_source', { source_id })
  while (source.status === 'processing') {
    await sleep(1000)
    source = await call('get_knowledge_source', { source_id })
  }
  expect(source).toMatchObject({ status: 'ready', error: null, chunk_count: 1500 })
  const missing = database
    .prepare(
      'select id from knowledge_chunks where id not in (select chunk_id from knowledge_vectors)',
    )
    .all()
  expect(missing).toEqual([])
  expect(countVectors()).toBe(1500)
  // What had its vector was not sent again. A batch that was on its way at the kill is, so texts are
  // compared and not counted: the provider may note it after its sender is gone.
  const sent = provider.texts.map(({ text }) => text.split('\n').at(-1))
  expect(sent.slice(0, asked)).toEqual(expect.arrayContaining(stored))
  const sentAfter = new Set(sent.slice(asked))
  expect(sentAfter.size).toBeGreaterThanOrEqual(1500 - stored.length)
  expect(stored.filter((text) => sentAfter.has(text))).toEqual([])
  database.close()
  second.signal('SIGTERM')
  await second.finished
  await provider.stop()
})
