import { gzipSync, brotliCompressSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { startServer, type Handler, type ModelServer } from '#test/support/servers/model-server.ts'
import type { Resolve } from './address-policy.ts'
import { createOutbound, type Outbound, type OutboundOptions } from './outbound.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  await Promise.all(cleanups.splice(0).map((cleanup) => cleanup()))
})

async function serve(handler: Handler): Promise<ModelServer> {
  const server = await startServer(handler)
  cleanups.push(() => server.stop())
  return server
}

function outbound(options: Partial<OutboundOptions> = {}): Outbound {
  const made = createOutbound({ allowPrivate: ['127.0.0.1'], ...options })
  cleanups.push(() => made.close())
  return made
}

/** The tests resolve their own names to loopback servers. */
function resolving(table: Record<string, string[]>): Resolve {
  return (hostname, _options, callback) => {
    const addresses = table[hostname] ?? []
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  }
}

describe('A request', () => {
  it('returns the status, headers and body of any response', async () => {
    const server = await serve((response) => {
      response.writeHead(418, { 'x-kind': 'teapot' })
      response.end('short and stout')
    })
    const answer = await outbound().request(`${server.origin}/tea?sugar=1`)
    expect(answer).toMatchObject({ status: 418, url: `${server.origin}/tea?sugar=1` })
    expect(answer.headers['x-kind']).toBe('teapot')
    expect(answer.body.toString()).toBe('short and stout')
    expect(server.requests[0]?.path).toBe('/tea?sugar=1')
  })

  it('sends the method, headers and body, but never the caller’s host or encoding', async () => {
    const server = await serve((response) => {
      response.end()
    })
    await outbound().request(server.origin, {
      method: 'POST',
      headers: { 'X-Secret': 's', Host: 'evil', 'Accept-Encoding': 'deflate' },
      body: '{"a":1}',
    })
    const [request] = server.requests
    expect(request?.body).toEqual({ a: 1 })
    expect(request?.headers).toMatchObject({
      'x-secret': 's',
      host: new URL(server.origin).host,
      'accept-encoding': 'gzip, br',
    })
  })

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('decodes %s', async (encoding, compress) => {
    const server = await serve((response) => {
      response.writeHead(200, { 'content-encoding': encoding })
      response.end(compress('unpacked'))
    })
    expect((await outbound().request(server.origin)).body.toString()).toBe('unpacked')
  })

  it('that its caller aborts rejects with the caller’s reason', async () => {
    const server = await serve(() => {})
    const controller = new AbortController()
    const answer = outbound().request(server.origin, { signal: controller.signal })
    const { aborted } = await server.request(0)
    controller.abort(new Error('no longer needed'))
    await expect(answer).rejects.toThrow('no longer needed')
    await aborted
  })
})

describe('A request is refused', () => {
  it('when its host is a private address', async () => {
    const server = await serve((response) => {
      response.end('secret')
    })
    const strict = outbound({ allowPrivate: [] })
    await expect(strict.request(server.origin)).rejects.toMatchObject({ reason: 'port' })
    await expect(strict.request('http://127.0.0.1/')).rejects.toMatchObject({
      reason: 'private_address',
    })
    expect(server.connections()).toBe(0)
  })

  it('when its name resolves to a private address, even among public ones', async () => {
    const resolve = resolving({
      'local.example': ['127.0.0.1'],
      'mixed.example': ['93.184.216.34', '127.0.0.1'],
      'v6.example': ['::1'],
      localhost: ['127.0.0.1'],
    })
    const strict = outbound({ allowPrivate: [], resolve })
    for (const name of ['local.example', 'mixed.example', 'v6.example', 'localhost', 'localhost.'])
      await expect(strict.request(`http://${name}/`)).rejects.toMatchObject({
        reason: 'private_address',
      })
  })

  it('in the same way and after the same time, whether its name is private or unknown', async () => {
    const resolve: Resolve = (hostname, options, callback) => {
      if (hostname !== 'unknown.example')
        return resolving({ 'private.example': ['10.0.0.1'] })(hostname, options, callback)
      const error = Object.assign(new Error('not found'), { code: 'ENOTFOUND' })
      setTimeout(() => callback(error, []), 120)
    }
    const strict = outbound({ allowPrivate: [], resolve })
    for (const name of ['private.example', 'unknown.example', 'empty.example']) {
      const startedAt = performance.now()
      await expect(strict.request(`http://${name}/`)).rejects.toMatchObject({
        reason: 'private_address',
      })
      expect(Math.round((performance.now() - startedAt) / 500)).toBe(1)
    }
  })

  it('by the addresses of the lookup that the connection uses, one lookup per connection', async () => {
    const answers = ['127.0.0.1', '10.0.0.1']
    let lookups = 0
    const rebinding: Resolve = (_hostname, _options, callback) => {
      callback(null, [{ address: answers[lookups++] ?? '8.8.8.8', family: 4 }])
    }
    const strict = outbound({ allowPrivate: [], resolve: rebinding })
    for (const address of answers)
      await expect(strict.request('http://rebind.example/')).rejects.toThrow(address)
    expect(lookups).toBe(2)
  })

  it('when it takes longer than allowed, even if data keeps arriving', async () => {
    const server = await serve((response) => {
      const drip = setInterval(() => response.write('.'), 20)
      response.on('close', () => clearInterval(drip))
    })
    const started = performance.now()
    await expect(outbound().request(server.origin, { timeoutMs: 200 })).rejects.toMatchObject({
      reason: 'timeout',
    })
    expect(performance.now() - started).toBeLessThan(1500)
    await (
      await server.request(0)
    ).aborted
  })

  it('when its body is larger than allowed', async () => {
    const server = await serve((response) => {
      response.end(Buffer.alloc(100_000))
    })
    await expect(outbound().request(server.origin, { maxBytes: 99_999 })).rejects.toMatchObject({
      reason: 'too_large',
    })
    expect((await outbound().request(server.origin, { maxBytes: 100_000 })).body).toHaveLength(
      100_000,
    )
  })

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('when its body grows too large by %s', async (encoding, compress) => {
    const bomb = compress(Buffer.alloc(50_000_000))
    const server = await serve((response) => {
      response.writeHead(200, { 'content-encoding': encoding })
      response.end(bomb)
    })
    await expect(outbound().request(server.origin, { maxBytes: 1_000_000 })).rejects.toMatchObject({
      reason: 'too_large',
    })
  })

  it('when its encoding was not requested or differs from its header', async () => {
    const server = await serve((response, _request, n) => {
      response.writeHead(200, { 'content-encoding': n === 0 ? 'gzip, gzip' : 'gzip' })
      response.end('plain')
    })
    const { request } = outbound()
    await expect(request(server.origin)).rejects.toMatchObject({ reason: 'bad_encoding' })
    await expect(request(server.origin)).rejects.toMatchObject({ reason: 'bad_encoding' })
  })

  it('when no server listens, and when the URL is invalid', async () => {
    const server = await serve(() => {})
    await server.stop()
    cleanups.length = 0
    await expect(outbound().request(server.origin)).rejects.toMatchObject({ reason: 'unreachable' })
    await expect(outbound().request('not a url')).rejects.toMatchObject({ reason: 'bad_url' })
  })
})

describe('A redirect', () => {
  const to =
    (location: string, status = 302): Handler =>
    (response, _request, n) => {
      if (n === 0) response.writeHead(status, { location })
      response.end('arrived')
    }

  it('is followed to its target', async () => {
    const server = await serve(to('/there?x=1'))
    const answer = await outbound().request(server.origin)
    expect(answer).toMatchObject({ status: 200, url: `${server.origin}/there?x=1` })
  })

  it.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://[::1]/',
    'http://2130706433/',
    'http://local.example/',
  ])('to %s is refused', async (location) => {
    const server = await serve(to(location))
    const { request } = outbound({
      allowPrivate: [new URL(server.origin).host],
      resolve: resolving({ 'local.example': ['127.0.0.1'] }),
    })
    await expect(request(server.origin)).rejects.toMatchObject({ reason: 'private_address' })
  })

  it('to another scheme, or to credentials, is refused', async () => {
    const file = await serve(to('file:///etc/passwd'))
    await expect(outbound().request(file.origin)).rejects.toMatchObject({ reason: 'scheme' })
    const login = await serve(to('http://user:pass@127.0.0.1/'))
    await expect(outbound().request(login.origin)).rejects.toMatchObject({
      reason: 'credentials_in_url',
    })
  })

  it('beyond the limit is refused, and one that may not be followed is returned', async () => {
    const server = await serve((response) => {
      response.writeHead(302, { location: '/again' })
      response.end()
    })
    await expect(outbound().request(server.origin, { maxRedirects: 3 })).rejects.toMatchObject({
      reason: 'too_many_redirects',
    })
    expect(server.requests).toHaveLength(4)
    expect((await outbound().request(server.origin, { maxRedirects: 0 })).status).toBe(302)
  })

  it('sends credentials only to the same origin', async () => {
    const other = await serve((response) => {
      response.end()
    })
    const server = await serve((response, { path }) => {
      response.writeHead(307, { location: path === '/a' ? '/b' : other.origin })
      response.end()
    })
    const headers = {
      authorization: 'Bearer s',
      cookie: 'id=1',
      'x-api-key': 's',
      accept: 'text/plain',
    }
    await outbound().request(`${server.origin}/a`, { headers })
    expect(server.requests[1]?.headers).toMatchObject(headers)
    const arrived = other.requests[0]?.headers
    expect(arrived).toMatchObject({ accept: 'text/plain' })
    for (const name of ['authorization', 'cookie', 'x-api-key'])
      expect(arrived).not.toHaveProperty(name)
  })

  it.each([
    [302, 'GET', {}],
    [303, 'GET', {}],
    [307, 'POST', { a: 1 }],
    [308, 'POST', { a: 1 }],
  ])('with status %i after a POST uses %s', async (status, method, body) => {
    let seen = ''
    const server = await serve((response, _request, n) => {
      seen = response.req.method ?? ''
      if (n === 0) response.writeHead(status, { location: '/next' })
      response.end()
    })
    await outbound().request(server.origin, { method: 'POST', body: '{"a":1}' })
    expect(seen).toBe(method)
    expect(server.requests[1]?.body).toEqual(body)
  })
})
