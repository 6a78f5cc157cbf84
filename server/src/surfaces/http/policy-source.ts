/** What a policy can name (CSP3 §2.3.1): a scheme, a name or an IPv4 address, and a port. */
const nameableOrigin = /^https?:\/\/[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?(?::\d+)?$/

/**
 * An address as a source of a Content-Security-Policy: its origin; or only its scheme, because a
 * policy can name neither an IPv6 address nor the host of a private scheme. No text of the address
 * is copied, so that none can add a source or a directive.
 *
 * @throws TypeError for a host that is neither a name nor an address
 */
export function policySource({ protocol, origin, hostname }: URL): string {
  const hasHost = protocol === 'https:' || protocol === 'http:'
  if (!hasHost || hostname.startsWith('[')) return protocol
  if (nameableOrigin.test(origin)) return origin
  throw new TypeError(`a policy cannot name ${JSON.stringify(origin)}`)
}
