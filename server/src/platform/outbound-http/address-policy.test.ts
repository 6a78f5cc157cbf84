import type { LookupAddress } from 'node:dns'
import { describe, expect, it } from 'vitest'
import { createAddressPolicy, isPublicAddress, type Resolve } from './address-policy.ts'
import { OutboundRefused } from './outbound-refused.ts'

const policy = createAddressPolicy([])

function refusal(url: string, listed: readonly string[] = []): string | null {
  try {
    createAddressPolicy(listed).admit(new URL(url))
    return null
  } catch (error) {
    if (error instanceof OutboundRefused) return error.reason
    throw error
  }
}

describe('An address outside the public internet is refused in every notation', () => {
  it.each([
    ['loopback', 'http://127.0.0.1/'],
    ['loopback beyond the first', 'http://127.8.9.10/'],
    ['decimal', 'http://2130706433/'],
    ['hexadecimal', 'http://0x7f000001/'],
    ['hexadecimal in parts', 'http://0x7f.1/'],
    ['octal', 'http://0177.0.0.1/'],
    ['octal in one number', 'http://017700000001/'],
    ['full-width digits', 'http://①②⑦.0.0.1/'],
    ['percent-encoded', 'http://127%2e0.0.1/'],
    ['with a trailing dot', 'http://127.0.0.1./'],
    ['with an uppercase scheme', 'HTTP://127.0.0.1/'],
    ['this host', 'http://0.0.0.0/'],
    ['this network', 'http://0.1.2.3/'],
    ['cloud metadata', 'http://169.254.169.254/latest/meta-data'],
    ['private 10/8', 'http://10.0.0.1/'],
    ['private 172.16/12', 'http://172.31.255.255/'],
    ['private 192.168/16', 'http://192.168.1.1/'],
    ['carrier-grade NAT', 'http://100.64.0.1/'],
    ['benchmarking', 'http://198.18.0.1/'],
    ['documentation', 'http://192.0.2.1/'],
    ['multicast', 'http://224.0.0.1/'],
    ['broadcast', 'http://255.255.255.255/'],
    ['IPv6 unspecified', 'http://[::]/'],
    ['IPv6 loopback', 'http://[::1]/'],
    ['IPv6 loopback in full', 'http://[0:0:0:0:0:0:0:1]/'],
    ['mapped IPv4', 'http://[::ffff:127.0.0.1]/'],
    ['mapped IPv4 in hexadecimal', 'http://[::ffff:a9fe:a9fe]/'],
    ['compatible IPv4', 'http://[::127.0.0.1]/'],
    ['translated IPv4', 'http://[::ffff:0:127.0.0.1]/'],
    ['NAT64', 'http://[64:ff9b::7f00:1]/'],
    ['local NAT64', 'http://[64:ff9b:1::a9fe:a9fe]/'],
    ['6to4', 'http://[2002:7f00:1::]/'],
    ['Teredo', 'http://[2001::1]/'],
    ['unique local', 'http://[fd00::1]/'],
    ['link-local', 'http://[fe80::1]/'],
    ['site-local', 'http://[fec0::1]/'],
    ['IPv6 multicast', 'http://[ff02::1]/'],
    ['unassigned IPv6', 'http://[4000::1]/'],
  ])('%s', (_, url) => {
    expect(refusal(url)).toBe('private_address')
  })
})

it('A public address is allowed', () => {
  expect(refusal('https://8.8.8.8/')).toBeNull()
  expect(refusal('https://[2606:4700::1111]/')).toBeNull()
  expect(isPublicAddress('::ffff:8.8.8.8')).toBe(true)
})

it.each([
  ['scheme', 'file:///etc/passwd'],
  ['scheme', 'ftp://example.com/'],
  ['scheme', 'gopher://example.com/'],
  ['credentials_in_url', 'http://user:secret@example.com/'],
  ['credentials_in_url', 'http://example.com@8.8.8.8/'],
  ['port', 'http://example.com:22/'],
  ['port', 'http://example.com:6379/'],
])('%s is the reason to refuse %s', (reason, url) => {
  expect(refusal(url)).toBe(reason)
})

it('Plain http is refused if https is required', () => {
  expect(() => policy.admit(new URL('http://example.com/'), { httpsOnly: true })).toThrow(
    OutboundRefused,
  )
})

describe('A host that the operator listed is allowed', () => {
  it('on any port when the entry has none', () => {
    expect(refusal('http://wiki.internal:8080/', ['wiki.internal'])).toBeNull()
    expect(refusal('http://WIKI.internal./', ['Wiki.Internal'])).toBeNull()
  })
  it('only on the entry’s port if it has one', () => {
    expect(refusal('http://10.0.0.5:8080/', ['10.0.0.5:8080'])).toBeNull()
    expect(refusal('http://10.0.0.5/', ['10.0.0.5:8080'])).toBe('private_address')
    expect(refusal('http://127.0.0.1:80/', ['127.0.0.1:80'])).toBeNull()
  })
  it('as IPv6, with brackets or bare', () => {
    expect(refusal('http://[::1]:11434/', ['[::1]:11434'])).toBeNull()
    expect(refusal('http://[::1]/', ['::1'])).toBeNull()
    expect(refusal('http://[::2]/', ['::1'])).toBe('private_address')
  })
  it('but not a host that only begins or ends in the same way', () => {
    expect(refusal('http://10.0.0.50/', ['10.0.0.5'])).toBe('private_address')
    expect(refusal('http://127.0.0.1/', ['localhost'])).toBe('private_address')
  })
  it('but not with another scheme or with credentials', () => {
    expect(refusal('ftp://wiki.internal/', ['wiki.internal'])).toBe('scheme')
    expect(refusal('http://a:b@wiki.internal/', ['wiki.internal'])).toBe('credentials_in_url')
  })
})

describe('A name', () => {
  const publicAddress = { address: '93.184.216.34', family: 4 }
  const privateAddress = { address: '10.0.0.7', family: 4 }

  function resolving(...addresses: LookupAddress[]): Resolve {
    return (_hostname, _options, callback) => callback(null, addresses)
  }
  function lookup(resolve: Resolve, all: boolean): Promise<unknown> {
    return new Promise((settle, reject) => {
      createAddressPolicy([], resolve).resolvePublic('a.example', { all }, (error, address) =>
        error ? reject(error) : settle(address),
      )
    })
  }

  it('that resolves to public addresses returns them in the requested form', async () => {
    expect(await lookup(resolving(publicAddress), true)).toEqual([publicAddress])
    expect(await lookup(resolving(publicAddress), false)).toBe(publicAddress.address)
  })
  it('that resolves to one private address among public ones is refused', async () => {
    const resolve = resolving(publicAddress, privateAddress)
    await expect(lookup(resolve, true)).rejects.toMatchObject({ reason: 'private_address' })
    await expect(lookup(resolve, false)).rejects.toMatchObject({ reason: 'private_address' })
  })
  it('without addresses is refused', async () => {
    await expect(lookup(resolving(), true)).rejects.toBeInstanceOf(OutboundRefused)
  })
})
