import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isForHost, parseHost } from './secret-hosts.ts'

describe('a host of a secret', () => {
  test.each([
    ['api.example.com', 'api.example.com'],
    ['API.Example.COM.', 'api.example.com'],
    ['api.example.com:8443', 'api.example.com:8443'],
    ['api.example.com:0443', 'api.example.com:443'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['localhost', 'localhost'],
    ['127.1', '127.0.0.1'],
    ['[::1]:8080', '[::1]:8080'],
  ])('%s is read as %s', (text, host) => {
    expect(parseHost(text)).toBe(host)
  })

  test.each([
    '',
    '*',
    '*.example.com',
    'https://api.example.com',
    'api.example.com/v1',
    'api.example.com?x',
    'api.example.com#x',
    'ada@api.example.com',
    'a.example\\b.example',
    'a.example,b.example ',
    'a b',
    'a%2eb',
    'api.example.com:',
    'api.example.com:0',
    'api.example.com:65536',
    'api.example.com:8443:1',
    '::1',
    '[::1',
  ])('%j is refused', (text) => {
    expect(parseHost(text)).toBeNull()
  })

  test.each([
    ['api.example.com', 'https://api.example.com/x', true],
    ['api.example.com', 'https://API.example.com:8443/x', true],
    ['api.example.com', 'https://api.example.com.evil.test/', false],
    ['api.example.com', 'https://x.api.example.com/', false],
    ['api.example.com', 'https://api.example.com@evil.test/', false],
    ['api.example.com:443', 'https://api.example.com/', true],
    ['api.example.com:443', 'http://api.example.com/', false],
    ['api.example.com:8443', 'https://api.example.com/', false],
    ['*', 'https://anywhere.test/', true],
  ])('%s for %s: %s', (host, url, isFor) => {
    expect(isForHost([host], new URL(url))).toBe(isFor)
  })

  test('has one spelling and is for its own address', () => {
    fc.assert(
      fc.property(fc.oneof(fc.domain(), fc.string(), fc.ipV4(), fc.webAuthority()), (text) => {
        const host = parseHost(text)
        if (host === null) return
        expect(parseHost(host)).toBe(host)
        expect(isForHost([host], new URL(`http://${host}/`))).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })
})
