import {
  boundOfPerson,
  isFirstRefusal,
  recordEvent,
  recordStranger,
  withinBounds,
} from '#features/audit/index.ts'
import { grantFaults, holderOfBearer } from '#features/grants/index.ts'
import type { Actor } from '#kernel/actor.ts'
import type { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { bearerToken } from '#surfaces/http/api-request.ts'
import { clientAddress } from '#surfaces/http/client-address.ts'
import type { McpHttp } from './environment.ts'
import { mcpFaults } from './fault-table.ts'

type RecordContext = Pick<Context, 'config' | 'db' | 'clock' | 'limits'>

/** Limits the rows per minute, from however many addresses a flood comes. */
const strangers = [{ group: 'mcp:strangers', limit: 100 }]

/**
 * Records requests that are refused before an operation runs: 401, 403 and 429. For each
 * credential, or each address without one, only the first refusal of a kind per minute is stored,
 * so that a flood is one row.
 */
export async function recordRefusedRequest(
  ctx: RecordContext,
  c: McpHttp,
  fault: Fault,
): Promise<void> {
  if (!isRecorded(fault)) return
  const actor = await whoCalled(ctx, c, fault)
  const address = clientAddress(c, ctx.config)
  const { requestId, attempt = 'POST /mcp' } = c.var
  const detail = { refused: fault.code, address }
  if (actor === null) {
    if (!(await isFirstRefusal(ctx, `mcp:${fault.code}:${address}`))) return
    const refusal = await withinBounds(ctx, strangers, { action: attempt, target: null, detail })
    if (refusal === null) return
    const event = { ...refusal, surface: 'mcp', requestId } as const
    await ctx.db.write((tx) => recordStranger(tx, ctx.clock.now(), event))
    return
  }
  const { workspaceId, via, userId } = actor
  if (!(await isFirstRefusal(ctx, `mcp:${fault.code}:${via?.id ?? userId}`))) return
  const bounds = [boundOfPerson(userId, workspaceId)]
  const refusal = await withinBounds(ctx, bounds, { action: attempt, target: null, detail })
  if (refusal === null) return
  const event = { ...refusal, actor: { ...actor, requestId }, workspaceId }
  await ctx.db.forTenant(workspaceId, () =>
    ctx.db.write((tx) => recordEvent(tx, ctx.clock.now(), { ...event, outcome: 'refused' })),
  )
}

/** `requireScope` and `requireRole` record their own refusals, with the operation. */
function isRecorded({ kind, code }: Fault): boolean {
  const isSender = code === mcpFaults.origin_refused.code || code === mcpFaults.host_refused.code
  return isSender || kind === 'unauthenticated' || kind === 'expired' || kind === 'limited'
}

/** An expired or revoked credential still identifies its holder. A flood is not looked up. */
async function whoCalled(
  ctx: RecordContext,
  c: McpHttp,
  { kind, code }: Fault,
): Promise<Actor | null> {
  const known = c.var.caller
  if (known !== undefined) return known
  const token = bearerToken(c.req.header('authorization'))
  // A malformed token, or a key with a wrong checksum, was never issued to anyone.
  const isPossible = code !== grantFaults.token_malformed.code
  const isDead = isPossible && (kind === 'unauthenticated' || kind === 'expired')
  return token === null || !isDead ? null : await holderOfBearer(ctx, token)
}
