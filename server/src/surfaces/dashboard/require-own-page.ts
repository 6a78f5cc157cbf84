import type { Config } from '#config'
import { Fault } from '#kernel/fault.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { requestFaults } from '#surfaces/http/request-faults.ts'
import { serviceAddress } from '#surfaces/http/service-address.ts'

/**
 * Refuses a change that no page of this service asked for. Scripts always send an `Origin` with a
 * POST, so one without it is refused; where the browser also says how the page stands to the
 * service (`Sec-Fetch-Site`), both must agree.
 *
 * @throws Fault cross_site
 */
export function requireOwnPage(c: Http, config: Pick<Config, 'baseUrl'>): void {
  const site = c.req.header('sec-fetch-site')
  const origin = c.req.header('origin')
  if (origin === undefined || (site !== undefined && site !== 'same-origin')) refuse()
  if (origin === serviceAddress(config).origin) return
  // The same service under another of its names, such as 127.0.0.1 for localhost: the browser says
  // that page and service are one, and the cookie is that name's own.
  if (site !== undefined && hostOf(origin) === c.req.header('host')) return
  refuse()
}

function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null
}

function refuse(): never {
  throw new Fault(requestFaults.cross_site)
}
