import type { Config } from '#config'
import { Fault } from '#kernel/fault.ts'
import type { Http } from './environment.ts'
import { requestFaults } from './request-faults.ts'
import { serviceAddress } from './service-address.ts'

/**
 * Refuses a change that another site, or another host of the domain, requested through a browser. On
 * https and on this computer, browsers send `Sec-Fetch-Site`; elsewhere, and in old browsers, `Origin`.
 * The form's token is checked as well, but does not decide alone: other hosts of the domain can set the
 * cookie that it is computed from.
 *
 * @throws Fault cross_site
 */
export function requireSameOrigin(c: Http, config: Pick<Config, 'baseUrl'>): void {
  const site = c.req.header('sec-fetch-site')
  const origin = c.req.header('origin')
  const isOwn =
    site === undefined
      ? origin === undefined || isService(c, config, origin)
      : site === 'same-origin'
  if (!isOwn) throw new Fault(requestFaults.cross_site)
}

/**
 * Refuses a change that was not requested by a page of this service. Scripts always send `Origin`
 * with a POST, so a request without it is refused. If the browser also sends `Sec-Fetch-Site`, both
 * must agree.
 *
 * @throws Fault cross_site
 */
export function requireOwnPage(c: Http, config: Pick<Config, 'baseUrl'>): void {
  const site = c.req.header('sec-fetch-site')
  const origin = c.req.header('origin')
  const isOwn =
    site === undefined
      ? origin === serviceAddress(config).origin
      : site === 'same-origin' && origin !== undefined && isService(c, config, origin)
  if (!isOwn) throw new Fault(requestFaults.cross_site)
}

/**
 * Also under another of its names, such as 127.0.0.1 for localhost: the request went to the host of the
 * page that made it, and the cookie is that host's own.
 */
function isService(c: Http, config: Pick<Config, 'baseUrl'>, origin: string): boolean {
  const own = serviceAddress(config)
  if (origin === own.origin) return true
  const host = URL.canParse(origin) ? new URL(origin).host : null
  // With the service's own name, the scheme is another one: anybody on the way can be plain http.
  return host !== own.host && host === c.req.header('host')
}
