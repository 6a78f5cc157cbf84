import type { Context as HonoContext } from 'hono'
import type { Context } from '#platform/context.ts'
import { requireAllowance, tellAllowance } from './allowance.ts'
import { authenticate } from './authenticate.ts'
import type { McpEnvironment } from './environment.ts'
import { countRequests, type Counted } from './limit-caller.ts'
import type { Answer, Protocol } from './protocol.ts'
import { readMessages, type PostedMessages, type RpcRequest } from './read-messages.ts'
import { readToolView } from './read-tool-view.ts'
import { requireScopes } from './require-scopes.ts'

type Http = HonoContext<McpEnvironment>

/** POST /mcp: JSON-RPC messages over streamable HTTP. */
export async function postMessages(
  ctx: Context,
  c: Http,
  loadProtocol: () => Promise<Protocol>,
): Promise<Answer> {
  const { actor, plan } = await authenticate(ctx, c)
  const person = { actor: { ...actor, requestId: c.get('requestId') }, plan }
  c.set('caller', person.actor)
  const posted = await readCounted(ctx, c, person)
  const caller = { ...person, view: readToolView(c.req) }
  await requireScopes(ctx, caller, posted.requests)
  const protocol = await loadProtocol()
  return await protocol.answer(c.req.raw, posted, caller)
}

/** Counts every POST, also one that cannot be parsed. */
async function readCounted(ctx: Context, c: Http, person: Counted): Promise<PostedMessages> {
  const [read] = await Promise.allSettled([readMessages(c, ctx.config)])
  const requests = read.status === 'fulfilled' ? read.value.requests : []
  const [first] = requests
  if (first !== undefined) c.set('attempt', nameOf(first))
  if (requests.length === 1) c.set('rpcId', first?.id ?? null)
  const allowance = await countRequests(ctx, person, requests)
  tellAllowance(c, allowance)
  requireAllowance(allowance)
  if (read.status === 'rejected') throw read.reason
  return read.value
}

/** What a record of a refusal calls it: the tool, or else the method. */
function nameOf({ method, params }: RpcRequest): string {
  const name = method === 'tools/call' && typeof params.name === 'string' ? params.name : method
  return name.toWellFormed().replaceAll('\0', '').slice(0, 100)
}
