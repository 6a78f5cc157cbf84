import type { Config } from '#config'
import { Fault } from '#kernel/fault.ts'
import type { Http } from './environment.ts'
import { requestFaults } from './request-faults.ts'
import { serviceAddress } from './service-address.ts'

/**
 * Refuses a change that another site asked a browser for. Browsers say where a request comes from
 * in `Sec-Fetch-Site`, on https and on this computer; elsewhere there is `Origin`, which is `null`
 * after our own pages, as they send no referrer: there the form's token decides alone.
 *
 * @throws Fault cross_site
 */
export function requireSameOrigin(c: Http, config: Pick<Config, 'baseUrl'>): void {
  const site = c.req.header('sec-fetch-site')
  if (site !== undefined) {
    if (site === 'same-origin') return
    throw new Fault(requestFaults.cross_site)
  }
  const origin = c.req.header('origin')
  if (origin === undefined || origin === 'null') return
  if (origin !== serviceAddress(config).origin) throw new Fault(requestFaults.cross_site)
}
