import { expect, test } from 'vitest'
import { describeEngines } from '#test/support/databases/engines.ts'
import { cleansUp, startParley } from '#test/support/processes/parley-process.ts'
import { until } from '#test/support/until.ts'
import { callOperation } from './call-operation.ts'
import { recordFault } from './record-fault.ts'
import { refuseChanges } from './refuse-changes.ts'
import { kill, letTimePass } from './kill.ts'
import { serviceEnvironment } from './service-environment.ts'
import { countChunks, countIndexed, textsOf, untilRead } from './stored-chunks.ts'

const rows = 30_000

describeEngines('kill -9 while a file is read', (engine) => {
  cleansUp()

  test('the next process reads the whole file, each chunk once', async () => {
    const db = engine.database()
    const environment = serviceEnvironment(engine.settings())
    const call = (operation: string, input: object) => callOperation(environment, operation, input)
    const first = await startParley(environment)
    const { id: app_id } = await call('create_app', { name: 'Helpdesk' })
    const lines = Array.from({ length: rows }, (_, n) => `n${n},a thing that has the number ${n}`)
    const content_base64 = Buffer.from(`name,about\n${lines.join('\n')}`).toString('base64')
    const file = { app_id, kind: 'file', filename: 'things.csv', content_base64 }
    // Otherwise the whole file might be read before the kill.
    const allowChanges = await refuseChanges(db, {
      table: 'knowledge_documents',
      kind: 'update',
      when: "new.status = 'ready'",
    })
    const { id: source_id } = await call('add_knowledge_source', file)
    await until('a part of it is stored', async () => (await countChunks(db)) >= 200)
    await kill(first, db)
    await allowChanges()
    expect(await call('get_knowledge_source', { source_id })).toMatchObject({ document_count: 0 })
    await letTimePass(db)
    const startedAt = performance.now()
    const second = await startParley(environment)
    await untilRead(db)
    const healthyAfterMs = performance.now() - startedAt
    const source = await call('get_knowledge_source', { source_id })
    expect(source).toMatchObject({ status: 'ready', error: null, document_count: 1 })
    const documents = await db.read.selectFrom('knowledge_documents').select('id').execute()
    expect(documents).toHaveLength(1)
    const texts = await textsOf(db, String(documents[0]?.id))
    const names = texts.flatMap((text) => text.match(/n\d+(?= \|)/g) ?? [])
    expect(names).toEqual(lines.map((_, n) => `n${n}`))
    expect(source.chunk_count).toBe(texts.length)
    expect(await countChunks(db)).toBe(texts.length)
    expect(await countIndexed(db, 'thing')).toBe(texts.length)
    const fault = 'kill -9 while a file is read: every row is stored once'
    recordFault({ fault, engine: engine.name, tries: rows, lost: 0, failed: 0, healthyAfterMs })
    second.signal('SIGTERM')
    await second.finished
  })
})
