import ipaddr from 'ipaddr.js'
import type { Config } from '#config'
import type { Sender } from '#features/api-keys/index.ts'
import type { Http } from './environment.ts'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/**
 * The client's address, for limits and logs.
 *
 * @returns an IPv4 address, or an IPv6 network of /64: one machine may take any address of its own
 */
export function clientAddress(c: Http, config: Pick<Config, 'trustProxy'>): string {
  return networkOf(nearestUntrusted(c, config))
}

/** What is known of a request's sender: see `clientAddress`. */
export function senderOf(c: Http, config: Pick<Config, 'trustProxy'>): Sender {
  return {
    address: () => nearestUntrusted(c, config)?.toString() ?? null,
    network: () => clientAddress(c, config),
    userAgent: () => c.req.header('user-agent'),
  }
}

/**
 * The address of the connection or, if that is a proxy in `TRUST_PROXY`, the one that the proxy saw,
 * and so on along `X-Forwarded-For` from its right end. Entries to the left of the first untrusted
 * address are ignored: its owner may have written them.
 */
function nearestUntrusted(c: Http, { trustProxy }: Pick<Config, 'trustProxy'>): Address | null {
  const forwarded = (c.req.header('x-forwarded-for') ?? '').split(',').map((part) => part.trim())
  let nearest = c.env?.incoming?.socket.remoteAddress
  while (isTrusted(nearest, trustProxy) && forwarded.at(-1)) nearest = forwarded.pop()
  return parse(nearest)
}

function isTrusted(address: string | undefined, proxies: readonly string[]): boolean {
  const parsed = parse(address)
  return parsed !== null && proxies.some((block) => isWithin(parsed, block))
}

function isWithin(address: Address, block: string): boolean {
  const [network, bits] = block.includes('/')
    ? ipaddr.parseCIDR(block)
    : [ipaddr.process(block), ipaddr.process(block).kind() === 'ipv4' ? 32 : 128]
  return address.kind() === network.kind() && address.match(network, bits)
}

/** An IPv4 address mapped into IPv6 is treated as IPv4. */
function parse(address: string | undefined): Address | null {
  return address !== undefined && ipaddr.isValid(address) ? ipaddr.process(address) : null
}

/** The client of a connection, like `clientAddress`; null for a proxy of `TRUST_PROXY`. */
export function connectedClient(
  address: string | undefined,
  { trustProxy }: Pick<Config, 'trustProxy'>,
): string | null {
  return isTrusted(address, trustProxy) ? null : networkOf(parse(address))
}

function networkOf(address: Address | null): string {
  if (address === null) return 'unknown'
  if (address.kind() === 'ipv4') return address.toString()
  return ipaddr.IPv6.networkAddressFromCIDR(`${address.toNormalizedString()}/64`).toString()
}
