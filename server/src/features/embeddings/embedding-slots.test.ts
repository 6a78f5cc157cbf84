import { expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { addTextSource } from '#features/ingestion/index.ts'
import { searchKnowledge } from '#features/retrieval/index.ts'
import { startEmbeddingServer } from '#test/support/servers/embedding-server.ts'
import { runIngestion } from '#test/support/knowledge/run-ingestion.ts'
import { describeInstance } from '#test/support/test-instance.ts'

// The queue is the process's own. PGlite, which has pgvector, cannot serve several sessions at once.
describeInstance(
  'calls of an embedding model',
  (open) => {
    test('are shared: a workspace does not wait for the questions in another’s queue', async () => {
      const provider = await startEmbeddingServer()
      const instance = await open({
        OPENAI_BASE_URL: provider.baseUrl,
        OPENAI_API_KEY: 'sk-operator',
        EMBEDDING_MODEL: 'openai/any',
        EMBEDDING_QUERY_TIMEOUT_MS: '60000',
        MODEL_CALLS_AT_ONCE: '1',
      })
      const readers = []
      for (const title of ['Flood', 'Neighbour']) {
        const owner = await instance.person()
        const { workspaceId } = owner
        const { id: appId } = await createAgent(instance.ctx, owner, { name: title })
        await addTextSource(instance.ctx, workspaceId, { appId, title, text: 'We open at nine.' })
        readers.push((query: string) =>
          searchKnowledge(instance.ctx, workspaceId, { appId, query, topK: 1 }),
        )
      }
      await runIngestion(instance, { later: false })
      const [flood, neighbour] = readers
      provider.texts.length = 0
      provider.delay(50)
      const flooding = Array.from({ length: 12 }, (_, n) => flood!(`flood ${n}`))
      await expect.poll(() => provider.texts.length).toBeGreaterThan(0)
      const { items } = await neighbour!('neighbour')
      expect(items[0]!.why.vector).not.toBeNull()
      // The call that ran, the one that follows it, and those of the same moment come before.
      expect(provider.texts.findIndex(({ text }) => text === 'neighbour')).toBeLessThan(6)
      await Promise.all(flooding)
      await provider.stop()
    })
  },
  'sqlite',
)
