import type { Hono } from 'hono'
import {
  createKnownDomains,
  domainOfHost,
  pageAtDomain,
  type AtDomain,
  type KnownDomains,
} from '#features/visitors/index.ts'
import { commonFaults, isFault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { HttpEnvironment } from '#surfaces/http/environment.ts'
import { serviceAddress } from '#surfaces/http/service-address.ts'
import { domainRoutes } from './page-routes.ts'

type Rest =
  Parameters<Hono<HttpEnvironment>['fetch']> extends [Request, ...infer Others] ? Others : never

/** Decides before every route whether a request came to the domain of a chat page. */
export interface DomainSurface {
  /** A name that may be such a domain; null for the service's own address, an IP address and the like. */
  domainOf(request: Request): string | null
  /** @param otherwise answers at a domain that nobody has proven, which may be a name of the service */
  answer(
    domain: string,
    request: Request,
    rest: Rest,
    otherwise: () => Promise<Response>,
  ): Promise<Response>
}

/** @param folder the dashboard's build, which contains the script of the page */
export function createDomainSurface(ctx: Context, folder: string): DomainSurface {
  const ownDomain = domainOfHost(serviceAddress(ctx.config).host)
  const known = createKnownDomains(ctx)
  const routes = domainRoutes(ctx, folder)
  return {
    domainOf({ url }) {
      // The host of an absolute request target counts, not that of the header (RFC 9112 §3.2.2).
      const domain = domainOfHost(new URL(url).hostname)
      return domain === ownDomain ? null : domain
    },
    async answer(domain, request, [env, ...rest], otherwise) {
      const at = await find(ctx, known, domain, request)
      if (at === null) return await otherwise()
      return await routes.fetch(request, { ...env, pageAtDomain: at.appNameId }, ...rest)
    },
  }
}

/** Supervisors may call the service by any of its names, also while the database does not answer. */
const probes = /\/(?:healthz|readyz)$/

async function find(
  ctx: Context,
  known: KnownDomains,
  domain: string,
  { url }: Request,
): Promise<AtDomain | null> {
  try {
    return (await known.mayHavePage(domain)) ? await pageAtDomain(ctx, domain) : null
  } catch (error) {
    const isProbe = probes.test(new URL(url).pathname)
    if (isProbe && isFault(error, commonFaults.database_unavailable)) return null
    throw error
  }
}
