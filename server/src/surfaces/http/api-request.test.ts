import { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import { readJson } from './api-request.ts'

const app = new Hono().post('/', async (c) => c.json({ read: await readJson(c.req, 1_000) }))

/** Sends the pieces without a declared length, or all at once with it. */
function send(pieces: readonly Uint8Array<ArrayBuffer>[], declared: boolean) {
  const headers = { 'content-type': 'application/json' }
  if (!declared)
    return app.request('/', {
      method: 'POST',
      headers,
      body: ReadableStream.from(pieces),
      duplex: 'half',
    })
  const body = new Blob([...pieces])
  const length = { 'content-length': String(body.size) }
  return app.request('/', { method: 'POST', headers: { ...headers, ...length }, body })
}

describe.each([
  ['with its length declared', true],
  ['in chunks', false],
])('a JSON body %s', (_how, declared) => {
  test('may begin with a byte order mark', async () => {
    const pieces = [Uint8Array.of(0xef, 0xbb, 0xbf), Uint8Array.from(Buffer.from('{"a":1}'))]
    expect(await (await send(pieces, declared)).json()).toEqual({ read: { a: 1 } })
  })

  test('may be split within a character', async () => {
    const bytes = Uint8Array.from(Buffer.from('"é😀"'))
    const pieces = Array.from(bytes, (byte) => Uint8Array.of(byte))
    expect(await (await send(pieces, declared)).json()).toEqual({ read: 'é😀' })
  })
})
