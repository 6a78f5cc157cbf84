import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { s3Keys, startS3Server, type S3Server } from '#test/support/servers/s3-server.ts'
import { createObjectStore } from './create-object-store.ts'
import { readPlace, type StoreSettings } from './object-store.ts'

let server: S3Server
let settings: StoreSettings

beforeAll(async () => {
  server = await startS3Server()
  settings = {
    endpoint: server.endpoint,
    region: 'eu-test-1',
    accessKeyId: s3Keys.id,
    secretAccessKey: s3Keys.secret,
    timeoutMs: 1_000,
  }
})

afterAll(async () => {
  await server.close()
})

beforeEach(() => {
  server.objects.clear()
  server.failures.length = 0
  server.requests.length = 0
})

const storeWith = (changes: Partial<StoreSettings> = {}, bucket = 'parley-backups') =>
  createObjectStore(bucket, { ...settings, ...changes })

function contentOf(bytes: Buffer) {
  return { size: bytes.length, bytes: Readable.from([bytes]) }
}

describe('a store of objects', () => {
  test.each([0, 1, 100_000])('returns a file of %i bytes as it was', async (length) => {
    const bytes = randomBytes(length)
    const store = storeWith()
    await store.put('a folder/größe+1&2.backup', contentOf(bytes))
    expect(await buffer(Readable.from(store.get('a folder/größe+1&2.backup')))).toEqual(bytes)
    expect(await store.list('a folder/')).toEqual(['a folder/größe+1&2.backup'])
  })

  test('receives a large file in parts, which become one object', async () => {
    const bytes = randomBytes(40 * 1024 * 1024)
    await storeWith().put('large', contentOf(bytes))
    expect(server.objects.get('large')?.equals(bytes)).toBe(true)
    expect(server.requests.filter((line) => line.includes('partNumber='))).toHaveLength(3)
    expect(server.uploads.size).toBe(0)
  })

  test('keeps no parts of an upload that fails, and no object', async () => {
    const bytes = randomBytes(40 * 1024 * 1024)
    const failures = [
      { status: 403, code: 'AccessDenied', on: /partNumber=2/ },
      { status: 400, code: 'InvalidPart', on: /^POST .*uploadId/ },
    ]
    for (const failure of failures) {
      server.failures.push(failure)
      await expect(storeWith().put('large', contentOf(bytes))).rejects.toThrow(failure.code)
      expect(server.uploads.size).toBe(0)
      expect(server.objects.size).toBe(0)
    }
  })

  test('lists and removes all objects of a prefix, whatever the size of a page', async () => {
    const store = storeWith()
    const keys = ['a/1', 'a/2', 'a/3', 'a/4', 'a/5']
    for (const key of [...keys, 'b/1']) await store.put(key, contentOf(Buffer.from(key)))
    expect(await store.list('a/')).toEqual(keys)
    for (const key of keys) await store.remove(key)
    await store.remove('a/1')
    expect([...server.objects.keys()]).toEqual(['b/1'])
  })

  test('is asked again for what it cannot do at the moment', async () => {
    const passing = [
      { status: 503, code: 'SlowDown' },
      { status: 500, code: 'InternalError' },
      { status: 429, code: 'TooManyRequests' },
    ]
    server.failures.push(...passing)
    await storeWith().put('key', contentOf(Buffer.from('x')))
    expect(server.objects.size).toBe(1)
    server.failures.push(...passing, { status: 503, code: 'SlowDown' })
    await expect(storeWith().list('')).rejects.toThrow('the store answered 503 SlowDown')
  })

  test.each([
    ['a wrong secret', { secretAccessKey: 'other' }, /403 SignatureDoesNotMatch.*check S3_SECRET/],
    ['a wrong id', { accessKeyId: 'OTHER' }, /403 InvalidAccessKeyId.*check S3_ACCESS_KEY_ID/],
    ['a wrong region', { region: 'us-east-1' }, /AuthorizationHeaderMalformed.*check S3_REGION/],
    ['no store', { endpoint: 'http://127.0.0.1:1' }, /127\.0\.0\.1:1 cannot be reached/],
  ])('names the problem with %s, and no credential', async (_, changes, message) => {
    const failing = storeWith(changes).list('')
    await expect(failing).rejects.toThrow(message)
    const error: unknown = await failing.catch((thrown: unknown) => thrown)
    const text = JSON.stringify(error, Object.getOwnPropertyNames(error))
    expect(text).not.toContain(s3Keys.secret)
    expect(text).not.toContain('Authorization: ')
  })

  test('names a missing bucket and a missing object', async () => {
    await expect(storeWith({}, 'no-such-bucket').list('')).rejects.toThrow(
      'the store answered 404 NoSuchBucket for the bucket no-such-bucket: create it',
    )
    const reading = buffer(Readable.from(storeWith().get('nothing')))
    await expect(reading).rejects.toThrow('404 NoSuchKey')
  })

  test.each([
    ['s3://bucket', { bucket: 'bucket', prefix: '' }],
    ['s3://bucket/', { bucket: 'bucket', prefix: '' }],
    ['s3://my.bucket/a/b', { bucket: 'my.bucket', prefix: 'a/b/' }],
    ['s3://bucket/a/', { bucket: 'bucket', prefix: 'a/' }],
    ['s3://B', null],
    ['s3://bucket//a', null],
    ['s3://bucket/a?x', null],
    ['https://bucket/a', null],
  ])('has the address %s', (address, place) => {
    expect(readPlace(address)).toEqual(place)
  })
})
