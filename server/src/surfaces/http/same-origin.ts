import type { Config } from '#config'
import { Fault } from '#kernel/fault.ts'
import type { Http } from './environment.ts'
import { requestFaults } from './request-faults.ts'
import { serviceAddress } from './service-address.ts'

/**
 * Refuses a change that another site requested through a browser. On https and on this computer,
 * browsers send `Sec-Fetch-Site`. Elsewhere they send `Origin`, which is `null` for our own pages
 * because they send no referrer; in that case the form's token alone decides.
 *
 * @throws Fault cross_site
 */
export function requireSameOrigin(c: Http, config: Pick<Config, 'baseUrl'>): void {
  const site = c.req.header('sec-fetch-site')
  const origin = c.req.header('origin')
  const isOwn =
    site === undefined
      ? origin === undefined || origin === 'null' || origin === serviceAddress(config).origin
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
  // The same service under another of its names, such as 127.0.0.1 for localhost: the browser
  // reports that page and service are one, and the cookie is that name's own.
  const isAlias = site !== undefined && hostOf(origin) === c.req.header('host')
  const isOwn = origin === serviceAddress(config).origin || isAlias
  if (!isOwn || (site !== undefined && site !== 'same-origin'))
    throw new Fault(requestFaults.cross_site)
}

function hostOf(origin: string | undefined): string | null {
  return origin !== undefined && URL.canParse(origin) ? new URL(origin).host : null
}
