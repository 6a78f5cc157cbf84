import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startEmbeddingServer } from '#test/support/servers/embedding-server.ts'
import { describeEngines } from '#test/support/databases/engines.ts'
import { cleansUp, startParley } from '#test/support/processes/parley-process.ts'
import { until } from '#test/support/until.ts'
import { callOperation } from './call-operation.ts'
import { kill, letTimePass } from './kill.ts'
import { recordFault } from './record-fault.ts'
import { serviceEnvironment } from './service-environment.ts'

const chunks = 1500

describeEngines(
  'kill -9 while knowledge is embedded',
  (engine) => {
    cleansUp()

    test('the next process embeds the rest, and each chunk gets one vector', async () => {
      const db = engine.database()
      const provider = await startEmbeddingServer()
      const environment = {
        ...serviceEnvironment(engine.settings(), provider),
        EMBEDDING_MODEL: 'openai/points',
      }
      const call = (operation: string, input: object) =>
        callOperation(environment, operation, input)
      const listEmbedded = async () => {
        const query = sql<{ text: string }>`
          select text from knowledge_chunks join knowledge_vectors on chunk_id = id`
        return (await query.execute(db.read)).rows.map(({ text }) => text)
      }
      const first = await startParley(environment)
      const { id: app_id } = await call('create_app', { name: 'Helpdesk' })
      // Otherwise everything might be embedded before the check.
      provider.hold('points', true)
      const text = Array.from({ length: chunks }, (_, n) => `# Thing ${n}\n\nnumber${n}`).join(
        '\n\n',
      )
      const added = await call('add_knowledge_source', { app_id, title: 'Things', text })
      expect(added).toMatchObject({ status: 'processing', stage: 'embedding', chunk_count: chunks })
      provider.hold('points', false)
      // This process answers the batches, so it cannot miss the first one.
      provider.delay(300)
      await until('a batch is embedded', async () => (await listEmbedded()).length > 0)
      await kill(first, db)
      const stored = await listEmbedded()
      expect(stored.length).toBeLessThan(chunks)
      provider.delay(0)
      provider.hold('points', true)
      const asked = provider.texts.length
      await letTimePass(db)
      const second = await startParley(environment)
      // Meanwhile the text is found by its words.
      const found = await call('search_knowledge', { app_id, query: 'number1499' })
      expect(found.items).toMatchObject([{ source_id: added.id }])
      provider.hold('points', false)
      const releasedAt = performance.now()
      await until('all is embedded', async () => {
        const query = db.read.selectFrom('knowledge_sources').select('status')
        return (await query.executeTakeFirstOrThrow()).status !== 'processing'
      })
      const healthyAfterMs = performance.now() - releasedAt
      const source = await call('get_knowledge_source', { source_id: added.id })
      expect(source).toMatchObject({ status: 'ready', error: null, chunk_count: chunks })
      const embedded = await listEmbedded()
      expect(embedded).toHaveLength(chunks)
      expect(new Set(embedded).size).toBe(chunks)
      // Chunks with a vector are not sent again. A batch in flight at the kill is sent again, so
      // texts are compared and not counted: the provider may record it after its sender died.
      const sent = provider.texts.map((one) => one.text.split('\n').at(-1))
      expect(sent.slice(0, asked)).toEqual(expect.arrayContaining(stored))
      const sentAfter = new Set(sent.slice(asked))
      expect(sentAfter.size).toBeGreaterThanOrEqual(chunks - stored.length)
      expect(stored.filter((one) => sentAfter.has(one))).toEqual([])
      const fault = 'kill -9 while knowledge is embedded: every chunk gets one vector'
      recordFault({ fault, engine: 'sqlite', tries: chunks, lost: 0, failed: 0, healthyAfterMs })
      second.signal('SIGTERM')
      await second.finished
      await provider.stop()
    })
  },
  // SQLite only: its vectors need no server extension. Interrupted units are tested on both engines
  // elsewhere.
  'sqlite',
)
