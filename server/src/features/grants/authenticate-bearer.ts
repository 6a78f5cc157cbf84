import {
  findDeveloperKey,
  findDeveloperKeyHolder,
  lastUse,
  requireAllowedAddress,
  touchKey,
  unknownSender,
  type Sender,
} from '#features/api-keys/index.ts'
import { planFromRow, rateHolder } from '#features/workspaces/index.ts'
import type { Actor } from '#kernel/actor.ts'
import { minuteMs } from '#kernel/durations.ts'
import { Fault } from '#kernel/fault.ts'
import type { Plan } from '#kernel/plan.ts'
import { readReach } from '#kernel/reach.ts'
import { hashToken, hasKeyForm, tokenPrefixes } from '#kernel/tokens.ts'
import type { Context } from '#platform/context.ts'
import { isOwnResource } from './addresses.ts'
import { grantFaults } from './grant-faults.ts'
import { accessOfHash, findTokenHolder, markGrantUsed } from './grant-store.ts'
import { storedScopes } from './scope-list.ts'

/** The caller of the MCP server, and their plan. */
export interface Bearer {
  readonly actor: Actor
  /** The plan of the actor's default workspace. */
  readonly plan: Plan
  /** Whose rate limit the requests in that workspace count towards: see `rateHolder`. */
  readonly rateHolder: string
  /** Epoch milliseconds; null for a key that does not expire. */
  readonly expiresAt: number | null
}

const accessTokenForm = /^svc_at_[\w-]{43}$/

type BearerContext = Pick<Context, 'db' | 'clock' | 'config' | 'log' | 'limits'>

/**
 * Authenticates an OAuth access token or a developer key in one read. The person must still be a
 * member of its default workspace: a credential does not outlive the membership it came from.
 *
 * @throws Fault token_malformed, token_unknown, key_expired, key_address_refused
 */
export async function authenticateBearer(
  ctx: BearerContext,
  token: string,
  sender: Sender = unknownSender,
): Promise<Bearer> {
  if (accessTokenForm.test(token)) return await authenticateGrant(ctx, token, sender)
  if (!hasKeyForm(token, tokenPrefixes.developerKey)) throw new Fault(grantFaults.token_malformed)
  return await authenticateKey(ctx, token, sender)
}

async function authenticateGrant(
  ctx: BearerContext,
  token: string,
  sender: Sender,
): Promise<Bearer> {
  const [row] = await ctx.db.prepared(accessOfHash).readShared({ hash: hashToken(token) })
  const now = ctx.clock.now()
  if (row === undefined || row.expires_at <= now) throw new Fault(grantFaults.token_unknown)
  // RFC 8707 §2: a token for another resource is not valid here.
  if (!isOwnResource(ctx.config, row.resource)) throw new Fault(grantFaults.token_unknown)
  void touchGrant(ctx, row, now, sender)
  return {
    actor: {
      userId: row.user_id,
      workspaceId: row.workspace_id,
      scopes: storedScopes(row.scopes),
      reach: readReach(row.reach_json),
      surface: 'mcp',
      via: { kind: 'grant', id: row.grant_id, client: row.client_name },
    },
    ...planAndRate(ctx, row),
    expiresAt: row.expires_at,
  }
}

async function authenticateKey(ctx: BearerContext, token: string, sender: Sender): Promise<Bearer> {
  const key = await findDeveloperKey(ctx, hashToken(token))
  if (key === null) throw new Fault(grantFaults.token_unknown)
  // The MCP server records all refused requests.
  if (key.allowedAddresses !== null) await requireAllowedAddress(ctx, key, sender, null)
  const now = ctx.clock.now()
  if (key.expiresAt !== null && key.expiresAt <= now) throw new Fault(grantFaults.key_expired)
  void touchKey(ctx, key.id, now, sender)
  return {
    actor: {
      userId: key.userId,
      workspaceId: key.workspaceId,
      scopes: key.scopes,
      reach: key.reach,
      surface: 'mcp',
      via: { kind: 'developer_key', id: key.id, client: key.name },
    },
    ...planAndRate(ctx, {
      workspace_id: key.workspaceId,
      plan: key.plan,
      plan_is_own: key.planIsOwn,
      billing_user_id: key.billingUserId,
    }),
    expiresAt: key.expiresAt,
  }
}

interface PlanRow {
  readonly workspace_id: string
  readonly plan: string
  readonly plan_is_own: number
  readonly billing_user_id: string | null
}

function planAndRate({ config }: Pick<Context, 'config'>, row: PlanRow) {
  const plan = planFromRow(row.plan)
  const { workspace_id: id, billing_user_id: billingUserId } = row
  const planIsOwn = row.plan_is_own === 1
  return { plan, rateHolder: rateHolder(config, { id, plan, planIsOwn, billingUserId }) }
}

/** Stores that a grant was used, at most once a minute. Never rejects: nothing waits for it. */
async function touchGrant(
  { db, log }: BearerContext,
  { grant_id: id, last_used_at: usedAt }: { grant_id: string; last_used_at: number | null },
  now: number,
  sender: Sender,
): Promise<void> {
  if (usedAt !== null && now - usedAt < minuteMs) return
  const use = lastUse(sender, now)
  try {
    await db.write((tx) => markGrantUsed(tx, id, use, now - minuteMs))
  } catch (error) {
    log.warn({ err: error, grantId: id }, 'could not store the use of a grant')
  }
}

/**
 * The holder of a bearer token, also of an expired or revoked one: for recording a refusal, never for
 * access. The actor has no scopes.
 *
 * @returns null for a token that was never issued or is no longer stored
 */
export async function holderOfBearer(
  ctx: Pick<Context, 'db'>,
  token: string,
): Promise<Actor | null> {
  const hash = hashToken(token)
  if (!token.startsWith(tokenPrefixes.accessToken)) return await findDeveloperKeyHolder(ctx, hash)
  const row = await findTokenHolder(ctx.db.read, hash)
  if (row === undefined) return null
  return {
    userId: row.user_id,
    workspaceId: row.workspace_id,
    scopes: [],
    surface: 'mcp',
    via: { kind: 'grant', id: row.grant_id, client: row.client_name },
  }
}
