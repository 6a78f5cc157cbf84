import { lookup as systemLookup, type LookupAddress, type LookupAllOptions } from 'node:dns'
import { type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { OutboundRefused } from './outbound-refused.ts'

/** The part of `dns.lookup` in use: it returns every address of a name. */
export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

export type AddressPolicy = ReturnType<typeof createAddressPolicy>

const globalUnicast6 = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * True for an address on the public internet. Mapped IPv4 is checked as IPv4; other forms that
 * contain an IPv4 address (NAT64, 6to4, Teredo) are always refused.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.process(text)
  if (address.range() !== 'unicast') return false
  // The library calls every unassigned IPv6 block `unicast`; only 2000::/3 is allocated (RFC 4291).
  return address instanceof ipaddr.IPv4 || address.match(globalUnicast6)
}

/** @param allowPrivate hosts as `name` or `name:port`, IPv6 addresses bare or in brackets */
export function createAddressPolicy(
  allowPrivate: readonly string[],
  resolve: Resolve = systemLookup,
) {
  const listed = new Set(allowPrivate.map(canonicalEntry))

  /** True when the operator listed this host, or this host and port. */
  function isListed(url: URL): boolean {
    const host = canonicalHost(url.hostname)
    return listed.has(host) || listed.has(`${host}:${portOf(url)}`)
  }

  /**
   * Checks everything about a URL that needs no name lookup, including IP addresses, for which no
   * lookup is made.
   *
   * @throws OutboundRefused
   */
  function admit(url: URL, rules: { readonly httpsOnly?: boolean } = {}): void {
    if (url.protocol !== 'https:' && (rules.httpsOnly || url.protocol !== 'http:'))
      throw new OutboundRefused('scheme', `${url.protocol} is not allowed.`)
    if (url.username !== '' || url.password !== '')
      throw new OutboundRefused('credentials_in_url', 'The URL contains credentials.')
    if (url.hostname === '') throw new OutboundRefused('bad_url', 'The URL has no host.')
    if (isListed(url)) return
    const port = portOf(url)
    if (port !== 80 && port !== 443)
      throw new OutboundRefused('port', `Port ${port} is not allowed.`)
    const host = canonicalHost(url.hostname)
    if (ipaddr.isValid(host) && !isPublicAddress(host))
      throw new OutboundRefused('private_address', `${host} is not a public address.`)
  }

  return {
    admit,
    isListed,
    /** Resolves a name to any address, for hosts that the operator listed. */
    resolveListed: lookupThrough(resolve, () => true),
    /**
     * Resolves a name to public addresses only. `net.connect` uses it, so the checked address is the
     * one that is dialled: a second lookup could return another.
     */
    resolvePublic: lookupThrough(resolve, isPublicAddress),
  }
}

/**
 * A name that may not be dialled is refused after a multiple of this time: a private name, which a
 * near resolver knows, would otherwise be refused sooner than an unknown one.
 */
const refusalStepMs = 500

/**
 * Resolves names to accepted addresses. All other names are refused in the same way, so that this
 * service does not reveal which names exist in its network.
 */
function lookupThrough(resolve: Resolve, accept: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    const startedAt = performance.now()
    const refuse = (detail: string, cause?: unknown) => {
      const refusal = new OutboundRefused('private_address', detail, { cause })
      const elapsedMs = performance.now() - startedAt
      setTimeout(() => callback(refusal, []), refusalStepMs - (elapsedMs % refusalStepMs))
    }
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return refuse(`${hostname}: ${error.message}`, error)
      const [first] = addresses
      // A private address among public ones is suspicious: refuse the name.
      const bad = addresses.find(({ address }) => !accept(address))
      if (first === undefined || bad !== undefined)
        return refuse(`${hostname} resolves to ${bad?.address ?? 'nothing'}.`)
      if (options.all === true) return callback(null, addresses)
      return callback(null, first.address, first.family)
    })
  }
}

function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port)
  return url.protocol === 'http:' ? 80 : 443
}

/** `hostname` as the URL parser writes it, without brackets and the trailing dot. */
function canonicalHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
}

/** An entry of the list as the URL parser writes it: lowercase, punycode, short IPv6. */
function canonicalEntry(entry: string): string {
  const [, bracketed, plain, port] = /^(?:\[(.+)\]|([^:]+))(?::(\d+))?$/.exec(entry) ?? []
  const host = bracketed ?? plain ?? entry
  const authority = host.includes(':') ? `[${host}]` : host
  const name = URL.canParse(`http://${authority}`) ? new URL(`http://${authority}`).hostname : host
  return port === undefined ? canonicalHost(name) : `${canonicalHost(name)}:${port}`
}
