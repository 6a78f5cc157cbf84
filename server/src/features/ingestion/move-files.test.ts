import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { readConfig } from '#config'
import { createAgent, type Agent } from '#features/agents/index.ts'
import { deleteSource } from '#features/knowledge/index.ts'
import { searchKnowledge } from '#features/retrieval/index.ts'
import { dayMs, hourMs } from '#kernel/durations.ts'
import type { JobRun } from '#kernel/job.ts'
import type { Context } from '#platform/context.ts'
import { createObjects, type Objects } from '#platform/object-store/objects.ts'
import { runIngestion } from '#test/support/knowledge/run-ingestion.ts'
import { startS3Server, type S3Server } from '#test/support/servers/s3-server.ts'
import { describeInstance, type Person, type TestInstance } from '#test/support/test-instance.ts'
import { listObjectForDeletion, shareObjects } from './file-object-store.ts'
import { deleteObjects, moveFiles } from './move-files.ts'
import { moveFile } from './move-file.ts'
import { addFileSource, openOriginal } from './index.ts'
import { readOriginal } from './read-original.ts'

const signal = new AbortController().signal
const run: JobRun = { id: 'x', attempt: 1, isLast: false, signal }
const handbook = Buffer.from(`# Animals\n\nThe okapi wakes.\n\n${'Grass grows. '.repeat(80_000)}`)

describeInstance('files in a store of objects', (open) => {
  let store: S3Server
  let instance: TestInstance
  let ada: Person
  let agent: Agent

  beforeAll(async () => {
    store = await startS3Server()
  })

  beforeEach(async () => {
    instance = await open()
    ada = await instance.person()
    agent = await createAgent(instance.ctx, ada, { name: 'Helper' })
  })

  afterAll(async () => await store.close())

  /** The service with this `FILES_TO`; keys of the store remain. */
  function at(folder: string | null): Context {
    const { BACKUP_TO: _, ...keys } = store.environment()
    const place = folder === null ? {} : { FILES_TO: `s3://parley-backups/${folder}` }
    return { ...instance.ctx, objects: createObjects(readConfig({ ...keys, ...place })) }
  }

  const files = (folder: string) =>
    [...store.objects].filter(([key]) => key.startsWith(`${folder}/`)).map(([, bytes]) => bytes)

  async function add(ctx: Context, filename = 'animals.md'): Promise<string> {
    const wanted = { appId: agent.id, filename, bytes: [handbook] }
    return (await addFileSource(ctx, ada.workspaceId, wanted)).id
  }

  async function countPieces(sourceId: string): Promise<number> {
    const rows = await instance.ctx.db.read
      .selectFrom('knowledge_file_pieces')
      .select('ordinal')
      .where('source_id', '=', sourceId)
      .execute()
    return rows.length
  }

  async function download(ctx: Context, sourceId: string): Promise<Buffer> {
    const { bytes } = await openOriginal(ctx, ada.workspaceId, sourceId)
    return Buffer.concat(await Array.fromAsync(bytes))
  }

  test('an uploaded file is read, searched and downloaded after it was moved', async () => {
    const ctx = at('new')
    const id = await add(ctx)
    await moveFile(ctx, id, signal)
    expect(files('new')).toEqual([handbook])
    expect(await countPieces(id)).toBe(0)
    await runIngestion({ ...instance, ctx })
    const query = { appId: agent.id, query: 'okapi', topK: 1 }
    const { items } = await searchKnowledge(instance.ctx, ada.workspaceId, query)
    expect(items[0]?.text).toContain('The okapi wakes.')
    expect((await download(ctx, id)).equals(handbook)).toBe(true)
  })

  test('an upload enqueues its move', async () => {
    const id = await add(at('queued'))
    const job = await instance.ctx.db.read
      .selectFrom('jobs')
      .select('kind')
      .where('key', '=', id)
      .where('kind', '=', 'ingestion.move_file')
      .executeTakeFirst()
    expect(job).toBeDefined()
  })

  test('files follow FILES_TO to another folder and back to the database', async () => {
    const id = await add(instance.ctx)
    await moveFiles.run(at('one'), {}, run)
    await moveFiles.run(at('two'), {}, run)
    expect([files('one').length, files('two').length]).toEqual([1, 1])
    // Backups from before refer to the old place.
    instance.advance(29 * dayMs)
    await deleteObjects.run(at('two'), {}, run)
    expect([files('one').length, files('two').length]).toEqual([1, 1])
    instance.advance(dayMs)
    await deleteObjects.run(at('two'), {}, run)
    expect([files('one').length, files('two').length]).toEqual([0, 1])
    await moveFiles.run(at(null), {}, run)
    expect(await countPieces(id)).toBe(Math.ceil(handbook.length / (256 * 1024)))
    expect((await download(instance.ctx, id)).equals(handbook)).toBe(true)
    instance.advance(30 * dayMs)
    await deleteObjects.run(at(null), {}, run)
    expect(files('two')).toEqual([])
  })

  test('what is kept of a file in its old place is deleted with the file, whatever deletes it', async () => {
    const [source, other] = [await add(instance.ctx), await add(instance.ctx, 'other.md')]
    await moveFiles.run(at('old'), {}, run)
    await moveFiles.run(at(null), {}, run)
    await deleteObjects.run(at(null), {}, run)
    expect(files('old')).toHaveLength(2)
    await deleteSource(at(null), ada.workspaceId, source)
    await deleteObjects.run(at(null), {}, run)
    expect(files('old')).toHaveLength(1)
    await instance.ctx.db.write((tx) =>
      tx.deleteFrom('knowledge_sources').where('id', '=', other).execute(),
    )
    await deleteObjects.run(at(null), {}, run)
    expect(files('old')).toEqual([])
  })

  test('the object of a source is deleted, whatever deletes the source', async () => {
    const ctx = at('deleted')
    const source = await add(ctx)
    const other = await add(ctx, 'other.md')
    for (const id of [source, other]) await moveFile(ctx, id, signal)
    expect(files('deleted')).toHaveLength(2)
    await deleteSource(ctx, ada.workspaceId, source)
    await deleteObjects.run(ctx, {}, run)
    expect(files('deleted')).toHaveLength(1)
    // As with its agent or workspace: the reference of the object goes with the source.
    await instance.ctx.db.write((tx) =>
      tx.deleteFrom('knowledge_sources').where('id', '=', other).execute(),
    )
    await deleteObjects.run(ctx, {}, run)
    expect(files('deleted')).toEqual([])
  })

  test('a file is whole for who reads it while it is moved, in both directions', async () => {
    const id = await add(instance.ctx)
    for (const folder of ['moving', null]) {
      const ctx = at(folder)
      const reading = readOriginal(ctx, id)
      const first = (await reading.next()).value ?? Buffer.alloc(0)
      await moveFile(ctx, id, signal)
      const rest = await Array.fromAsync(reading)
      expect(Buffer.concat([first, ...rest]).equals(handbook)).toBe(true)
    }
  })

  test('a file stays in the database while the store refuses it or damages it', async () => {
    const ctx = at('refused')
    const id = await add(instance.ctx)
    store.failures.push({ status: 403, code: 'AccessDenied', on: /^PUT/ })
    await expect(moveFile(ctx, id, signal)).rejects.toThrow('403 AccessDenied')
    store.corrupts = true
    await expect(moveFile(ctx, id, signal)).rejects.toThrow('returned other bytes')
    store.corrupts = false
    expect(files('refused')).toEqual([])
    expect((await download(instance.ctx, id)).equals(handbook)).toBe(true)
  })

  test('an object that no file refers to is deleted after a day', async () => {
    const ctx = at('lost')
    const id = await add(instance.ctx)
    await expect(moveFile(dyingAfterPut(ctx), id, signal)).rejects.toThrow('killed')
    expect(files('lost')).toHaveLength(1)
    await deleteObjects.run(ctx, {}, run)
    expect(files('lost')).toHaveLength(1)
    instance.advance(25 * hourMs)
    await deleteObjects.run(ctx, {}, run)
    expect(files('lost')).toEqual([])
    expect((await download(ctx, id)).equals(handbook)).toBe(true)
  })

  test('a store that does not answer is the error of a download, before it begins', async () => {
    const ctx = at('down')
    const id = await add(ctx)
    await moveFile(ctx, id, signal)
    store.failures.push({ status: 403, code: 'AccessDenied', on: /^GET/ })
    await expect(download(ctx, id)).rejects.toMatchObject({ code: 'source_bytes_unavailable' })
    expect((await download(ctx, id)).equals(handbook)).toBe(true)
  })

  test('a file that the store no longer has is reported as lost', async () => {
    const ctx = at('vanished')
    const id = await add(ctx)
    await moveFile(ctx, id, signal)
    store.objects.clear()
    await expect(download(ctx, id)).rejects.toMatchObject({ code: 'source_bytes_lost' })
  })

  test('a restored database reads the objects of the one that was backed up, and deletes none', async () => {
    const ctx = at('original')
    const [id, other] = [await add(ctx), await add(ctx, 'other.md')]
    for (const one of [id, other]) await moveFile(ctx, one, signal)
    await instance.ctx.db.write((tx) => listObjectForDeletion(tx, 's3://parley-backups/x', 0))
    await instance.ctx.db.write(shareObjects)
    await deleteSource(ctx, ada.workspaceId, other)
    await moveFiles.run(ctx, {}, run)
    instance.advance(25 * hourMs)
    await deleteObjects.run(ctx, {}, run)
    // Two of the database that was backed up, and a new one.
    expect(files('original')).toEqual([handbook, handbook, handbook])
    expect((await download(ctx, id)).equals(handbook)).toBe(true)
    await deleteSource(ctx, ada.workspaceId, id)
    await deleteObjects.run(ctx, {}, run)
    expect(files('original')).toHaveLength(2)
    store.objects.clear()
  })

  test('an object that cannot be deleted keeps no other from it, and is tried again', async () => {
    const ctx = at('stuck')
    const [one, other] = [await add(ctx), await add(ctx, 'other.md')]
    for (const id of [one, other]) {
      await moveFile(ctx, id, signal)
      await deleteSource(ctx, ada.workspaceId, id)
    }
    store.failures.push({ status: 403, code: 'AccessDenied', on: /^DELETE/ })
    await deleteObjects.run(ctx, {}, run)
    expect(files('stuck')).toHaveLength(1)
    instance.advance(hourMs + 1)
    await deleteObjects.run(ctx, {}, run)
    expect(files('stuck')).toEqual([])
  })

  test('a file whose object is lost keeps no other from being moved', async () => {
    const ctx = at('half')
    const ids = [await add(ctx), await add(ctx, 'other.md')].toSorted()
    for (const id of ids) await moveFile(ctx, id, signal)
    const [lost = ''] = [...store.objects.keys()].filter((key) => key.includes(ids[0] ?? ''))
    store.objects.delete(lost)
    await moveFiles.run(at(null), {}, run)
    expect(await countPieces(ids[1] ?? '')).toBeGreaterThan(0)
  })

  test('a damaged file is left where it is, and the others are moved', async () => {
    const ctx = at('damaged')
    const damaged = await add(instance.ctx)
    const other = await add(instance.ctx, 'other.md')
    await instance.ctx.db.write((tx) =>
      tx
        .updateTable('knowledge_sources')
        .set({ sha256: '0'.repeat(64) })
        .where('id', '=', damaged)
        .execute(),
    )
    await moveFiles.run(ctx, {}, run)
    expect(await countPieces(damaged)).toBeGreaterThan(0)
    expect(await countPieces(other)).toBe(0)
  })
})

/** A process that is killed between storing the object and referring to it. */
function dyingAfterPut(ctx: Context): Context {
  const put: Objects['put'] = async (address, content) => {
    await ctx.objects.put(address, content)
    throw new Error('killed')
  }
  return { ...ctx, objects: { ...ctx.objects, put } }
}
