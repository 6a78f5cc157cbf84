import { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import { readConfig } from '#config'
import { clientAddress } from './client-address.ts'
import type { HttpEnvironment } from './environment.ts'
import { isSecureAddress, localPath, pathTo } from './service-address.ts'

describe('the client’s address', () => {
  const addressOf = async (trusted: string, connection: string, forwarded?: string) => {
    const config = readConfig({ TRUST_PROXY: trusted })
    const app = new Hono<HttpEnvironment>()
    app.get('/', (c) => c.text(clientAddress(c, config)))
    const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
    // The only part of the connection that is read.
    const incoming = { socket: { remoteAddress: connection } } as never
    return await (await app.request('/', { headers }, { incoming })).text()
  }

  test.each([
    ['without a proxy is that of the connection', '', '203.0.113.7', undefined, '203.0.113.7'],
    ['cannot be forged where no proxy is trusted', '', '203.0.113.7', '1.2.3.4', '203.0.113.7'],
    ['cannot be forged past an untrusted one', '10.0.0.1', '203.0.113.7', '1.2.3.4', '203.0.113.7'],
    ['is what the proxy saw', '10.0.0.0/8', '10.1.2.3', '203.0.113.7', '203.0.113.7'],
    [
      'is not the one that the client sent',
      '10.0.0.0/8',
      '10.1.2.3',
      '1.2.3.4, 203.0.113.7',
      '203.0.113.7',
    ],
    [
      'is behind all trusted ones',
      '10.0.0.0/8',
      '10.1.2.3',
      '203.0.113.7, 10.9.9.9',
      '203.0.113.7',
    ],
    ['is the proxy’s when it says none', '10.0.0.0/8', '10.1.2.3', undefined, '10.1.2.3'],
    ['is IPv4 when it came mapped', '', '::ffff:203.0.113.7', undefined, '203.0.113.7'],
    ['of IPv6 is the network', '', '2001:db8:1:2:3:4:5:6', undefined, '2001:db8:1:2::'],
    ['of a mapped proxy is known', '127.0.0.1', '::ffff:127.0.0.1', '203.0.113.7', '203.0.113.7'],
    ['that is no address is unknown', '10.0.0.1', '10.0.0.1', '<script>', 'unknown'],
  ])('%s', async (_, trusted, connection, forwarded, expected) => {
    expect(await addressOf(trusted, connection, forwarded)).toBe(expected)
  })
})

describe('a path of the service', () => {
  test('is under the base address’s path', () => {
    expect(pathTo({ baseUrl: 'https://a.example' }, '/login')).toBe('/login')
    expect(pathTo({ baseUrl: 'https://a.example/parley' }, '/login', { a: 'b c' })).toBe(
      '/parley/login?a=b+c',
    )
  })

  test.each(['/account', '/mcp/oauth/consent?request=x', '/a/../b', '/a#b', '/%2f%2fx'])(
    '%s may be returned to',
    (path) => {
      expect(localPath({ baseUrl: 'https://a.example' }, path)).toBe(path)
    },
  )

  test.each([
    undefined,
    '',
    'account',
    '//evil.example',
    '/\\evil.example',
    '/a\\b',
    '/a b',
    '/\n/evil.example',
    '/\t/evil.example',
    'https://a.example/account',
    'javascript:alert(1)',
    '/é',
  ])('%j may not be returned to', (path) => {
    expect(localPath({ baseUrl: 'https://a.example' }, path)).toBeNull()
  })

  test.each([
    ['https://a.example', true],
    ['http://localhost:3000', true],
    ['http://app.localhost', true],
    ['http://127.9.9.9', true],
    ['http://[::1]:3000', true],
    ['http://localhost.evil.example', false],
    ['http://10.0.0.1', false],
  ])('%s takes Secure cookies: %s', (baseUrl, secure) => {
    expect(isSecureAddress({ baseUrl })).toBe(secure)
  })
})
