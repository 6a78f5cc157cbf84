import { findOperation } from '#operations/catalogue.ts'
import { requireScope } from '#operations/run-operation.ts'
import type { Context } from '#platform/context.ts'
import type { Caller } from './caller.ts'
import type { RpcRequest } from './read-messages.ts'
import { isOffered } from './tools.ts'

/**
 * Refuses a call whose scope was not granted before anything is dispatched: a client can ask for
 * more only on an HTTP 403 (MCP, Authorization: Scope Challenge Handling), and no status can be
 * given any more when the protocol has begun to answer.
 *
 * @throws Fault scope_missing
 */
export async function requireScopes(
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
