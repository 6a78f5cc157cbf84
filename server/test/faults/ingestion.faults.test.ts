import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { cleansUp, emptyFolder, parley, startParley } from '../support/parley-process.ts'

cleansUp()

const rows = 30_000

test('a service killed while it reads a file reads it whole after its restart, each chunk once', async () => {
  const folder = await emptyFolder()
  const environment = { DATA_DIR: folder, DEMO: 'false' }
  const call = async (operation: string, input: object) => {
    const done = await parley(['call', operation, '-'], environment, JSON.stringify(input))
    if (done.code !== 0) throw new Error(done.stderr)
    return JSON.parse(done.stdout)
  }
  const first = await startParley(environment)
  const { id: app_id } = await call('create_app', { name: 'Helpdesk' })
  const lines = Array.from({ length: rows }, (_, n) => `n${n},a thing that has the number ${n}`)
  const content_base64 = Buffer.from(`name,about\n${lines.join('\n')}`).toString('base64')
  const file = { app_id, kind: 'file', filename: 'things.csv', content_base64 }
  const { id: source_id } = await call('add_knowledge_source', file)
  const database = new DatabaseSync(join(folder, 'parley.sqlite'), { readOnly: true })
  const countChunks = () =>
    Number(database.prepare('select count(*) as count from knowledge_chunks').get()?.count)
  while (countChunks() < 200) await sleep(5)
  first.signal('SIGKILL')
  await first.finished
  const half = countChunks()
  const second = await startParley(environment)
  let source = await call('get_knowledge_source', { source_id })
  expect(source.status).toBe('processing')
  while (source.status === 'processing' || source.status === 'queued') {
    await sleep(1000)
    source = await call('get_knowledge_source', { source_id })
  }
  expect(source).toMatchObject({ status: 'ready', error: null, document_count: 1 })
  expect(source.chunk_count).toBeGreaterThan(half)
  const stored = database
    .prepare('select ordinal, text from knowledge_chunks where source_id = ? order by ordinal')
    .all(source_id)
  expect(stored.map(({ ordinal }) => ordinal)).toEqual(stored.map((_, n) => n))
  const names = stored.flatMap(({ text }) => String(text).match(/n\d+(?= \|)/g) ?? [])
  expect(names).toEqual(lines.map((_, n) => `n${n}`))
  const indexed = database.prepare('select count(*) as count from knowledge_index').get()?.count
  expect(indexed).toBe(stored.length)
  database.close()
  second.signal('SIGTERM')
  await second.finished
})
