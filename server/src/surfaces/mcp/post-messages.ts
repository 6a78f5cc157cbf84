import type { Context as HonoContext } from 'hono'
import type { Context } from '#platform/context.ts'
import { authenticate } from './authenticate.ts'
import type { McpEnvironment } from './environment.ts'
import { countRequests, requireAllowance, type Allowance, type Counted } from './limit-caller.ts'
import type { Protocol } from './protocol.ts'
import { readMessages, type PostedMessages } from './read-messages.ts'
import { readToolView } from './read-tool-view.ts'
import { requireScopes } from './require-scopes.ts'

type Http = HonoContext<McpEnvironment>

/** POST /mcp: JSON-RPC messages over streamable HTTP. */
export async function postMessages(
  ctx: Context,
  c: Http,
  loadProtocol: () => Promise<Protocol>,
): Promise<Response> {
  const { actor, plan } = await authenticate(ctx, c)
  const person = { actor: { ...actor, requestId: c.get('requestId') }, plan }
  const posted = await readCounted(ctx, c, person)
  const caller = { ...person, view: readToolView(c.req) }
  await requireScopes(ctx, caller, posted.requests)
  const protocol = await loadProtocol()
  return await protocol.answer(c.req.raw, posted, caller)
}

/** Every POST counts, also one that cannot be read. */
async function readCounted(ctx: Context, c: Http, person: Counted): Promise<PostedMessages> {
  const [read] = await Promise.allSettled([readMessages(c, ctx.config)])
  const requests = read.status === 'fulfilled' ? read.value.requests : []
  if (requests.length === 1) c.set('rpcId', requests[0]?.id ?? null)
  const allowance = await countRequests(ctx, person, requests)
  tellAllowance(c, allowance)
  requireAllowance(allowance)
  if (read.status === 'rejected') throw read.reason
  return read.value
}

/** Nothing is said where the plan has no limit. */
function tellAllowance(c: Http, allowance: Allowance | null): void {
  if (allowance === null) return
  c.header('X-RateLimit-Limit', String(allowance.limit))
  c.header('X-RateLimit-Remaining', String(allowance.remaining))
  c.header('X-RateLimit-Reset', String(allowance.resetsAt))
}
