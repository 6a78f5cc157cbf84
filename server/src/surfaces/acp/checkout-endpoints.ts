import { touchKey, type AcpCaller } from '#features/api-keys/index.ts'
import {
  cancelCheckout,
  completeCheckout,
  createCheckout,
  getCheckout,
  refuseOnce,
  updateCheckout,
  type Answer,
  type RepeatableRequest,
} from '#features/checkout/index.ts'
import { getOrderOfShop, orderDocument } from '#features/orders/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { senderOf } from '#surfaces/http/client-address.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { admitCaller } from './callers.ts'
import { dialectOf, idempotencyKey } from './dialect.ts'
import { readCancel, readCreate, readUpdate } from './read-checkout.ts'
import { readComplete } from './read-complete.ts'
import { bodyHash, readJsonOrNothing } from './request-body.ts'
import { sessionDocument } from './session-document.ts'

/** POST /checkout_sessions */
export async function postSession(ctx: Context, c: Http): Promise<Response> {
  const { caller, asShop, request, read } = await openPost(ctx, c, '/checkout_sessions')
  const checkout = await read((body) => readCreate(body, dialectOf(c)))
  const answer = await asShop(() => createCheckout(ctx, caller, checkout, request))
  return answerSession(ctx, c, caller, answer, 201)
}

/** GET /checkout_sessions/{id} */
export async function getSession(ctx: Context, c: Http): Promise<Response> {
  const caller = await admitCaller(ctx, c)
  const session = await getCheckout(ctx, caller, sessionId(c))
  return answerSession(ctx, c, caller, { session, replayed: false })
}

/** POST /checkout_sessions/{id} */
export async function postSessionUpdate(ctx: Context, c: Http): Promise<Response> {
  const id = sessionId(c)
  const { caller, asShop, request, read } = await openPost(ctx, c, `/checkout_sessions/${id}`)
  const change = await read((body) => readUpdate(body, dialectOf(c)))
  const answer = await asShop(() => updateCheckout(ctx, caller, id, change, request))
  return answerSession(ctx, c, caller, answer)
}

/** POST /checkout_sessions/{id}/complete */
export async function postComplete(ctx: Context, c: Http): Promise<Response> {
  const id = sessionId(c)
  const path = `/checkout_sessions/${id}/complete`
  const { caller, asShop, request, read } = await openPost(ctx, c, path)
  const completion = await read((body) => readComplete(body, dialectOf(c)))
  const answer = await asShop(() => completeCheckout(ctx, caller, id, completion, request))
  return answerSession(ctx, c, caller, answer)
}

/** POST /checkout_sessions/{id}/cancel */
export async function postCancel(ctx: Context, c: Http): Promise<Response> {
  const id = sessionId(c)
  const path = `/checkout_sessions/${id}/cancel`
  const { caller, asShop, request, read } = await openPost(ctx, c, path)
  const trace = await read(readCancel)
  const answer = await asShop(() => cancelCheckout(ctx, caller, id, trace, request))
  return answerSession(ctx, c, caller, answer)
}

/** GET /orders/{id} */
export async function getOrderEndpoint(ctx: Context, c: Http): Promise<Response> {
  const caller = await admitCaller(ctx, c)
  const order = await getOrderOfShop(ctx, caller, c.req.param('id') ?? '')
  void touchKey(ctx, caller.keyId, ctx.clock.now(), senderOf(c, ctx.config))
  c.header('Cache-Control', 'no-store')
  return c.json(orderDocument(ctx, order))
}

interface OpenPost {
  readonly caller: AcpCaller
  /** Runs the rest of the request as work of the shop's workspace. */
  asShop<T>(code: () => T): T
  /** Reads the body. A refusal is stored as the answer to the request's Idempotency-Key. */
  read<Said>(how: (body: unknown) => Said): Promise<Said>
  /** Null for a plain request without an Idempotency-Key. */
  readonly request: RepeatableRequest | null
}

/** Key, rate limit, version, idempotency, body: in this order. */
async function openPost(ctx: Context, c: Http, path: string): Promise<OpenPost> {
  const caller = await admitCaller(ctx, c)
  const key = idempotencyKey(c)
  const body = await readJsonOrNothing(c, ctx.config.maxBodyBytes)
  // The path below the agent: both mounts lead to the same endpoint.
  const request = key === null ? null : { path, key, bodyHash: bodyHash(body) }
  return {
    caller,
    asShop: (code) => ctx.db.forTenant(caller.workspaceId, code),
    request,
    async read(how) {
      try {
        return how(body)
      } catch (error) {
        if (error instanceof Fault) return await refuseOnce(ctx, caller.keyId, request, error)
        throw error
      }
    },
  }
}

/** Longer than any id, so a longer text names no session when it is cut either. */
const maxIdLength = 64

/** The id is part of the key of a stored request, whose length PostgreSQL limits. */
function sessionId(c: Http): string {
  return (c.req.param('id') ?? '').slice(0, maxIdLength).toLowerCase()
}

/** The answer names the buyer, so no cache may store it. */
function answerSession(
  ctx: Context,
  c: Http,
  caller: AcpCaller,
  { session, replayed }: Answer,
  status: 200 | 201 = 200,
): Response {
  void touchKey(ctx, caller.keyId, ctx.clock.now(), senderOf(c, ctx.config))
  c.header('Cache-Control', 'no-store')
  if (replayed) c.header('Idempotent-Replayed', 'true')
  return c.json(sessionDocument(ctx, session), status)
}
