import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '#config'
import { createAgent } from '#features/agents/index.ts'
import { addFileSource, openOriginal } from '#features/ingestion/index.ts'
import { deleteObjects, moveFiles } from '../../src/features/ingestion/move-files.ts'
import { deleteSource } from '#features/knowledge/index.ts'
import type { JobRun } from '#kernel/job.ts'
import type { Context } from '#platform/context.ts'
import { createObjects } from '#platform/object-store/objects.ts'
import { openStore } from '#platform/object-store/open-store.ts'
import { describeEngines, environmentOf } from '#test/support/databases/engines.ts'
import { cleansUp, emptyFolder, parley } from '#test/support/processes/parley-process.ts'
import { startS3rver, type S3rver } from '#test/support/servers/s3rver.ts'
import { describeInstance } from '#test/support/test-instance.ts'

cleansUp()

let server: S3rver
beforeAll(async () => {
  server = await startS3rver()
})
afterAll(() => server.stop())

const addressOf = (folder: string) => `s3://${server.bucket}/${folder}`

function storeAt(address: string, more: Readonly<Record<string, string>> = {}) {
  return openStore(readConfig({ ...server.environment, ...more }), address).store
}

const keysOf = (folder: string) => storeAt(addressOf('')).list(`${folder}/`)

describe('s3rver as the store', () => {
  test.each([0, 1, 100_000, 40 * 1024 * 1024])(
    'returns a file of %i bytes as it was, under its name',
    async (size) => {
      const bytes = randomBytes(size)
      const store = storeAt(addressOf(''))
      const key = `sizes/größe+${size}&2.backup`
      await store.put(key, { size, bytes: Readable.from([bytes]) })
      expect((await buffer(Readable.from(store.get(key)))).equals(bytes)).toBe(true)
      expect(await store.list('sizes/')).toContain(key)
      await store.remove(key)
      await store.remove(key)
      expect(await store.list('sizes/')).not.toContain(key)
    },
  )

  test('lists all objects of a folder, page after page', async () => {
    const store = storeAt(addressOf(''))
    const keys = Array.from({ length: 1_003 }, (_, n) => `many/${String(n).padStart(4, '0')}`)
    for (const key of [...keys, 'more'])
      await store.put(key, { size: 1, bytes: Readable.from([Buffer.from('x')]) })
    expect(await store.list('many/')).toEqual(keys)
  })

  test('names what is missing or wrong', async () => {
    const missing = buffer(Readable.from(storeAt(addressOf('')).get('nothing')))
    await expect(missing).rejects.toThrow('404 NoSuchKey')
    await expect(storeAt('s3://no-such-bucket').list('')).rejects.toThrow('404 NoSuchBucket')
    const wrong = { S3_ACCESS_KEY_ID: 'OTHER' }
    await expect(storeAt(addressOf(''), wrong).list('')).rejects.toThrow('403 InvalidAccessKeyId')
  })
})

describeEngines('a backup in s3rver', (engine) => {
  test('is created by the command and restored from its address', async () => {
    const SECRET_KEY = 'ab'.repeat(32)
    const source = { ...environmentOf(engine), ...server.environment, SECRET_KEY, DEMO: 'false' }
    const BACKUP_TO = addressOf(`backups-${engine.name}`)
    expect(await parley(['call', 'create_app', '{"name":"Kept"}'], source)).toMatchObject({
      code: 0,
    })
    const BACKUP_DIR = await emptyFolder()
    const { code, stdout } = await parley(['backup'], { ...source, BACKUP_TO, BACKUP_DIR })
    const [address = ''] = stdout.split(': ')
    expect([code, address]).toEqual([0, expect.stringMatching(/^s3:.*\/parley-.*Z\.backup$/)])
    const DATA_DIR = join(await emptyFolder(), 'restored')
    const target = { DATA_DIR, DEMO: 'false', SECRET_KEY }
    const restored = await parley(['restore', address], { ...target, ...server.environment })
    expect(restored).toMatchObject({ code: 0 })
    const { stdout: apps } = await parley(['call', 'list_apps'], target)
    expect(JSON.parse(apps).items).toMatchObject([{ name: 'Kept' }])
  })
})

describeInstance('files in s3rver', (open) => {
  test('move there, to another folder and back, and what they leave is deleted', async () => {
    const instance = await open()
    const { ctx: own } = instance
    const ada = await instance.person()
    const agent = await createAgent(own, ada, { name: 'Helper' })
    const run: JobRun = { id: 'x', attempt: 1, isLast: false, signal: new AbortController().signal }
    const at = (folder: string | null): Context => {
      const place = folder === null ? {} : { FILES_TO: addressOf(folder) }
      return { ...own, objects: createObjects(readConfig({ ...server.environment, ...place })) }
    }
    const [one, two] = [`one-${own.db.engine}`, `two-${own.db.engine}`]
    const bytes = randomBytes(1_000_000)
    const wanted = { appId: agent.id, filename: 'animals.bin.txt', bytes: [bytes] }
    const { id } = await addFileSource(own, ada.workspaceId, wanted)
    const download = async (ctx: Context) => {
      const original = await openOriginal(ctx, ada.workspaceId, id)
      return Buffer.concat(await Array.fromAsync(original.bytes))
    }
    for (const folder of [one, two]) {
      await moveFiles.run(at(folder), {}, run)
      expect(await keysOf(folder)).toHaveLength(1)
      expect((await download(at(folder))).equals(bytes)).toBe(true)
    }
    await moveFiles.run(at(null), {}, run)
    expect((await download(own)).equals(bytes)).toBe(true)
    await deleteSource(at(null), ada.workspaceId, id)
    await deleteObjects.run(at(null), {}, run)
    expect([await keysOf(one), await keysOf(two)]).toEqual([[], []])
  })
})
