import {
  openPage,
  requireVisit,
  type OpenPage,
  type VisitClaims,
} from '#features/visitors/index.ts'
import type { Context } from '#platform/context.ts'
import { bearerToken } from '#surfaces/http/api-request.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { connectedClient } from '#surfaces/http/client-address.ts'
import { limitAddress } from '#surfaces/http/limits.ts'
import { nameInRequest } from './page-paths.ts'

export interface ActingVisitor {
  readonly page: OpenPage
  readonly visit: VisitClaims
}

/**
 * The visitor of a request of the page's script.
 *
 * @throws Fault rate_limited, page_unknown, page_not_on_plan, visit_ended, origin_refused, visit_refused
 */
export async function visitOf(ctx: Context, c: Http): Promise<ActingVisitor> {
  await limitRequests(ctx, c)
  const page = await openPage(ctx, nameInRequest(c))
  const token = bearerToken(c.req.header('authorization'))
  return { page, visit: await requireVisit(ctx, page, token, c.req.header('origin')) }
}

/** @throws Fault rate_limited */
export async function limitRequests(ctx: Context, c: Http): Promise<void> {
  const limit = ctx.config.visitorRequestLimit
  if (limit !== null) await limitAddress(ctx, c, 'visit', { limit, windowSeconds: 60 })
}

const loopback = /^(?:127\.|::1$|::ffff:127\.)/

/**
 * Limits questions about domains, except those of the reverse proxy itself, which asks for every name
 * that strangers connect with. What it passes on has `X-Forwarded-For`.
 *
 * @throws Fault rate_limited
 */
export async function limitDomainQuestions(ctx: Context, c: Http): Promise<void> {
  const address = c.env?.incoming?.socket.remoteAddress
  const isProxy = loopback.test(address ?? '') || connectedClient(address, ctx.config) === null
  if (isProxy && c.req.header('x-forwarded-for') === undefined) return
  await limitRequests(ctx, c)
}
