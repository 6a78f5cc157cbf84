import { authenticateBearer, grantFaults, type Bearer } from '#features/grants/index.ts'
import { Fault } from '#kernel/fault.ts'
import { findOperation } from '#operations/catalogue.ts'
import { requireScope } from '#operations/run-operation.ts'
import type { Context } from '#platform/context.ts'
import { bearerToken } from '#surfaces/http/api-request.ts'
import { senderOf } from '#surfaces/http/client-address.ts'
import type { Answer } from './answer.ts'
import { limitHeaders, requireAllowance } from './allowance.ts'
import type { McpHttp } from './environment.ts'
import { mcpFaults } from './fault-table.ts'
import { countRequests, type Counted } from './limit-caller.ts'
import type { Protocol } from './protocol.ts'
import { readMessages, type PostedMessages, type RpcRequest } from './read-messages.ts'
import { readToolView } from './read-tool-view.ts'
import { isOffered, type Caller } from './tools.ts'

/**
 * POST /mcp: JSON-RPC messages over streamable HTTP.
 *
 * @param headers of the answer and of a refusal: those of the limit are added
 */
export async function postMessages(
  ctx: Context,
  c: McpHttp,
  headers: Record<string, string>,
  loadProtocol: () => Promise<Protocol>,
): Promise<Answer> {
  const { actor, plan, rateHolder } = await authenticate(ctx, c)
  const person = { actor: { ...actor, requestId: c.get('requestId') }, plan, rateHolder }
  c.set('caller', person.actor)
  const posted = await readCounted(ctx, c, headers, person)
  const caller = { ...person, view: readToolView(c.req) }
  await requireScopes(ctx, caller, posted.requests)
  const protocol = await loadProtocol()
  return await protocol.answer(c.req.raw, posted, caller)
}

/**
 * Finds the caller by the bearer token in the header. A token in the query is ignored: logs contain
 * queries, and RFC 6750 §2.3 advises against it.
 *
 * @throws Fault token_missing, token_malformed, token_unknown, key_expired, key_address_refused
 */
async function authenticate(ctx: Context, c: McpHttp): Promise<Bearer> {
  const authorization = c.req.header('authorization')
  const token = bearerToken(authorization)
  if (token !== null) return await authenticateBearer(ctx, token, senderOf(c, ctx.config))
  const isBearer = /^bearer +\S/i.test(authorization ?? '')
  throw new Fault(isBearer ? grantFaults.token_malformed : mcpFaults.token_missing)
}

/** Counts every POST, even one that cannot be parsed. */
async function readCounted(
  ctx: Context,
  c: McpHttp,
  headers: Record<string, string>,
  person: Counted,
): Promise<PostedMessages> {
  const [read] = await Promise.allSettled([readMessages(c, ctx.config)])
  const requests = read.status === 'fulfilled' ? read.value.requests : []
  const [first] = requests
  if (first !== undefined) c.set('attempt', nameOf(first))
  if (requests.length === 1) c.set('rpcId', first?.id ?? null)
  const allowance = await countRequests(ctx, person, requests)
  Object.assign(headers, limitHeaders(allowance))
  c.set('hasLimitHeaders', true)
  requireAllowance(allowance)
  if (read.status === 'rejected') throw read.reason
  return read.value
}

/**
 * Refuses a call without the required scope before anything is dispatched. Clients request more
 * scopes only after an HTTP 403 (MCP, Authorization: Scope Challenge Handling), and the status can
 * no longer change once the protocol has begun to answer.
 *
 * @throws Fault scope_missing
 */
async function requireScopes(
  ctx: Context,
  { actor, view }: Caller,
  requests: readonly RpcRequest[],
): Promise<void> {
  for (const { method, params } of requests) {
    if (method !== 'tools/call' || typeof params.name !== 'string') continue
    const operation = findOperation(params.name)
    if (operation === undefined || !isOffered(view, operation)) continue
    await requireScope({ ctx, actor, operation })
  }
}

/** The name for the audit entry of a refusal: the tool, or else the method. */
function nameOf({ method, params }: RpcRequest): string {
  const name = method === 'tools/call' && typeof params.name === 'string' ? params.name : method
  return name.toWellFormed().replaceAll('\0', '').slice(0, 100)
}
