import { isIPv6 } from 'node:net'

/** Addresses that stand for this machine, or for all of its own. */
const unnamed = new Set(['127.0.0.1', '0.0.0.0', '::1', '::', 'localhost'])

/** Where the service is reached when no `BASE_URL` says: whoever listens on one address is only there. */
export function ownAddress({
  host,
  port,
}: {
  readonly host: string
  readonly port: number
}): string {
  const named = isIPv6(host) ? `[${host}]` : host
  return `http://${unnamed.has(host) ? 'localhost' : named}:${port}`
}
