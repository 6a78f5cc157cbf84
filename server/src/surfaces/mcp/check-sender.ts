import ipaddr from 'ipaddr.js'
import { Fault } from '#kernel/fault.ts'
import type { Config } from '#config'
import { createNameCheck } from '#surfaces/http/api-request.ts'
import { serviceAddress } from '#surfaces/http/service-address.ts'
import type { McpHttp } from './environment.ts'
import { mcpFaults } from './fault-table.ts'

type Settings = Pick<Config, 'baseUrl' | 'mcpAllowedOrigins'>

/** @returns a check that throws the Faults host_refused and origin_refused */
export function createSenderCheck(config: Settings): (c: McpHttp) => void {
  const mayHaveOtherName = createNameCheck(config)
  return (c) => {
    if (mayHaveOtherName(c.req.url)) requireKnownHost(c, config)
    requireAllowedOrigin(c, config)
  }
}

/**
 * Refuses web pages of other sites (MCP, Streamable HTTP: Security). Programs send no `Origin` and
 * are allowed; `null`, which any sandboxed page can send, is refused.
 *
 * @throws Fault origin_refused
 */
function requireAllowedOrigin(c: McpHttp, config: Settings): void {
  const origin = c.req.header('origin')
  if (origin === undefined || isAllowedOrigin(origin, config)) return
  throw new Fault(mcpFaults.origin_refused)
}

/** True for the origin of the service and for those that the operator trusts. */
export function isAllowedOrigin(origin: string, config: Settings): boolean {
  return origin === serviceAddress(config).origin || config.mcpAllowedOrigins.includes(origin)
}

/**
 * Refuses a request to a host name that is not ours, as a page sends it whose name was rebound to
 * this machine's address (DNS rebinding). Outsiders cannot rebind addresses and names without a
 * dot, such as `localhost` or the name of a container.
 *
 * @throws Fault host_refused
 */
function requireKnownHost(c: McpHttp, config: Settings): void {
  const { hostname } = new URL(c.req.url)
  if (isAddress(hostname) || !hostname.replace(/\.$/, '').includes('.')) return
  const known = [serviceAddress(config).origin, ...config.mcpAllowedOrigins]
  if (known.some((origin) => new URL(origin).hostname === hostname)) return
  throw new Fault(mcpFaults.host_refused)
}

function isAddress(hostname: string): boolean {
  return ipaddr.isValid(hostname.replace(/^\[(.*)\]$/, '$1'))
}
