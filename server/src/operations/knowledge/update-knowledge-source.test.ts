import { beforeAll, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { runIngestion } from '#test/support/knowledge/run-ingestion.ts'
import { startSite, type Site } from '#test/support/servers/site-server.ts'
import {
  actorOf,
  describeInstance,
  type Person,
  type TestInstance,
} from '#test/support/test-instance.ts'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'

describeInstance('an update of a source', (open) => {
  let instance: TestInstance
  let ada: Person
  let site: Site
  let app_id: string

  beforeAll(async () => {
    site = await startSite({
      '/': '<title>Home</title><main><p>We sell tea. <a href="/a">A</a> <a href="/b">B</a></main>',
      '/a': '<title>A</title><main><p>About the aardvark.</main>',
      '/b': '<title>B</title><main><p>About the bison.</main>',
    })
    instance = await open({ OUTBOUND_ALLOW_PRIVATE: site.host })
    ada = await instance.person()
    return () => site.stop()
  })

  const call = (name: string, input: unknown) =>
    runOperation(instance.ctx, actorOf(ada), findOperation(name)!, input)

  const update = (source_id: unknown, changes: object) =>
    call('update_knowledge_source', { source_id, ...changes })

  async function add(source: object) {
    app_id = (await createAgent(instance.ctx, ada, { name: 'Helper' })).id
    return (await call('add_knowledge_source', { app_id, ...source })).id
  }

  async function titlesFor(query: string) {
    const { items } = await call('search_knowledge', { app_id, query })
    return (items as { title: string }[]).map(({ title }) => title) // A list.
  }

  test('replaces a text, which searches find in its old version until the new one is read', async () => {
    const id = await add({ title: 'Animals', text: 'The okapi wakes at noon.' })
    const text = 'The pangolin sleeps at noon, and we sell tea.'
    expect(await update(id, { text })).toMatchObject({ status: 'queued', bytes: text.length })
    expect([await titlesFor('okapi'), await titlesFor('pangolin')]).toEqual([['Animals'], []])
    await runIngestion(instance)
    expect([await titlesFor('okapi'), await titlesFor('pangolin')]).toEqual([[], ['Animals']])
    const after = await call('get_knowledge_source', { source_id: id })
    expect(after).toMatchObject({ status: 'ready', document_count: 1, chunk_count: 1 })
    expect(await update(id, { text })).toMatchObject({ status: 'ready' })
  })

  test('leaves the old version if the process dies while it reads the new one', async () => {
    const id = await add({ title: 'Animals', text: 'The okapi wakes at noon.' })
    await update(id, { text: 'The pangolin sleeps at noon.' })
    await runIngestion(instance, { diesAtUnit: 3 })
    expect([await titlesFor('okapi'), await titlesFor('pangolin')]).toEqual([['Animals'], []])
    await runIngestion(instance)
    expect([await titlesFor('okapi'), await titlesFor('pangolin')]).toEqual([[], ['Animals']])
  })

  test('renames a text or a page, which searches then find by the words of its new title', async () => {
    const id = await add({ title: 'Animals', text: 'It wakes at noon.' })
    await update(id, { title: 'Quaggas' })
    await runIngestion(instance)
    expect([await titlesFor('quagga'), await titlesFor('animals')]).toEqual([['Quaggas'], []])
    const page = await add({ kind: 'url', url: `${site.origin}/a` })
    await runIngestion(instance)
    expect(await titlesFor('aardvark')).toEqual(['A'])
    await update(page, { title: 'Dugongs' })
    await runIngestion(instance)
    expect(await titlesFor('dugong')).toEqual(['Dugongs'])
  })

  test('changes which pages of a site are read, without giving them its title', async () => {
    const id = await add({ kind: 'url', url: `${site.origin}/`, crawl_depth: 1 })
    await runIngestion(instance)
    expect(await titlesFor('bison')).toEqual(['B'])
    const renamed = await update(id, { title: 'Our site' })
    expect(renamed).toMatchObject({ title: 'Our site', status: 'ready' })
    expect(await update(id, { exclude: ['/b'] })).toMatchObject({ status: 'queued' })
    await runIngestion(instance)
    expect([await titlesFor('bison'), await titlesFor('aardvark')]).toEqual([[], ['A']])
    const after = await call('get_knowledge_source', { source_id: id })
    expect(after).toMatchObject({ title: 'Our site', document_count: 2 })
  })

  test('changes how often pages are read, without reading them now', async () => {
    const id = await add({ kind: 'url', url: `${site.origin}/a`, refresh_every: 'hour' })
    await runIngestion(instance)
    const before = await call('get_knowledge_source', { source_id: id })
    const daily = await update(id, { refresh_every: 'day' })
    const day = 24 * 60 * 60 * 1000
    const next = Date.parse(String(before.last_indexed_at)) + day
    expect(daily).toMatchObject({
      status: 'ready',
      refresh_every: 'day',
      next_refresh_at: new Date(next).toISOString(),
    })
    const never = await update(id, { refresh_every: 'never' })
    expect(never).toMatchObject({ refresh_every: null, next_refresh_at: null })
    const asked = site.asked().length
    instance.advance(2 * day)
    await runIngestion(instance)
    expect(site.asked()).toHaveLength(asked)
  })

  test('changes how often pages are read while their chunks are embedded', async () => {
    const id = await add({ kind: 'url', url: `${site.origin}/a`, refresh_every: 'hour' })
    await runIngestion(instance)
    await instance.ctx.db.write((tx) =>
      tx
        .updateTable('knowledge_sources')
        .set({ status: 'processing', stage: 'embedding' })
        .where('id', '=', String(id))
        .execute(),
    )
    const before = await call('get_knowledge_source', { source_id: id })
    const day = 24 * 60 * 60 * 1000
    const next = Date.parse(String(before.last_indexed_at)) + day
    expect(await update(id, { refresh_every: 'day' })).toMatchObject({
      status: 'processing',
      stage: 'embedding',
      refresh_every: 'day',
      next_refresh_at: new Date(next).toISOString(),
    })
    const never = await update(id, { refresh_every: 'never' })
    expect(never).toMatchObject({ refresh_every: null, next_refresh_at: null })
    const asked = site.asked().length
    instance.advance(2 * day)
    await runIngestion(instance)
    expect(site.asked()).toHaveLength(asked)
  })

  test('is refused for what a source does not have, for an empty text and while it is read', async () => {
    const unfit = (field: string) => ({ code: 'source_field_unfit', facts: { field } })
    const text = await add({ title: 'Animals', text: 'The okapi wakes at noon.' })
    await expect(update(text, { include: ['/a'] })).rejects.toMatchObject(unfit('include'))
    await expect(update(text, { max_pages: 2 })).rejects.toMatchObject(unfit('max_pages'))
    const often = update(text, { refresh_every: 'day' })
    await expect(often).rejects.toMatchObject(unfit('refresh_every'))
    await expect(update(text, { text: ' \n' })).rejects.toMatchObject({ code: 'source_empty' })
    await update(text, { text: 'The pangolin sleeps.' })
    await runIngestion(instance, { diesAtUnit: 3 })
    const late = update(text, { text: 'The bison grazes.' })
    await expect(late).rejects.toMatchObject({ code: 'source_being_read' })
    const page = await add({ kind: 'url', url: `${site.origin}/a` })
    await expect(update(page, { text: 'Words' })).rejects.toMatchObject(unfit('text'))
  })

  test('does not hide the chunk that a citation quotes, found by its first and last characters', async () => {
    const source_id = await add({
      title: 'Animals',
      text: '# A\n\nOkapis. 🐾\n\n# B\n\nBisons. 🐾',
    })
    const find = (start: string, end: string) =>
      call('find_source_passage', { source_id, start, end })
    expect(await find('Biso', 's. 🐾')).toMatchObject({ ordinal: 1 })
    expect(await find('Okapis. 🐾', '🐾')).toMatchObject({ ordinal: 0 })
    await update(source_id, { text: 'The pangolin sleeps.' })
    expect(await find('Biso', 's. 🐾')).toMatchObject({ ordinal: 1 })
    await runIngestion(instance)
    await expect(find('Biso', 's. 🐾')).rejects.toMatchObject({ code: 'record_not_found' })
  })
})
