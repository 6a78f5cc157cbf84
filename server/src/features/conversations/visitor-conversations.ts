import { forgetEndUser } from '#features/credits/index.ts'
import { camelKeys } from '#kernel/key-case.ts'
import type { Context } from '#platform/context.ts'
import {
  hasVisitorRow,
  insertJoined,
  listVisitorRows,
  moveVisitorRows,
  personOfVisitor,
} from './visitor-store.ts'

/** Whose conversations: an end user of an agent, on its chat page. */
interface Visitor {
  readonly agentId: string
  readonly endUser: string
}

/** The conversations of a visitor, latest begun first. */
export async function listVisitorConversations(
  { db }: Pick<Context, 'db'>,
  of: Visitor & { readonly limit: number },
) {
  const rows = await listVisitorRows(db.read, of)
  return rows.map((row) => camelKeys(row))
}

export interface Joining {
  readonly workspaceId: string
  readonly agentId: string
  /** The end user of the anonymous visitor, and of the person. */
  readonly from: string
  readonly to: string
  /** When no turn of the anonymous visitor can be running any more: epoch milliseconds. */
  readonly endsAt: number
}

/**
 * Gives the conversations of an anonymous visitor to the person whom the host has identified. From now on,
 * `findPersonOfVisitor` finds the person.
 *
 * @returns false if there are none
 */
export async function joinVisitor(
  ctx: Pick<Context, 'db'>,
  { endsAt, ...joining }: Joining,
): Promise<boolean> {
  const { agentId, from, to } = joining
  const [any] = await listVisitorRows(ctx.db.read, { agentId, endUser: from, limit: 1 })
  if (any === undefined) return false
  const row = { agent_id: agentId, visitor: from, end_user: to, ends_at: endsAt }
  // Committed before the move: what a turn stores meanwhile is found by the move or by `settleVisitor`.
  await ctx.db.write((tx) => insertJoined(tx, row))
  await giveTo(ctx, joining)
  return true
}

/** The person whom an anonymous visitor has turned out to be; null for none. */
export async function findPersonOfVisitor(
  { db }: Pick<Context, 'db'>,
  { agentId, endUser }: Visitor,
): Promise<string | null> {
  const given = { agent_id: agentId, visitor: endUser }
  const [row] = await db.prepared(personOfVisitor).read(given)
  return row?.end_user ?? null
}

/** After a turn of an anonymous visitor: gives the person what it has stored since they were identified. */
export async function settleVisitor(
  ctx: Pick<Context, 'db'>,
  { workspaceId, agentId, endUser }: Visitor & { readonly workspaceId: string },
): Promise<void> {
  const to = await findPersonOfVisitor(ctx, { agentId, endUser })
  if (to !== null) await giveTo(ctx, { workspaceId, agentId, from: endUser, to })
}

/** On SQLite, all other writes wait for a unit. */
const movedPerUnit = 200

async function giveTo(
  ctx: Pick<Context, 'db'>,
  { workspaceId, agentId, from, to }: Omit<Joining, 'endsAt'>,
): Promise<void> {
  const move = () => ctx.db.write((tx) => moveVisitorRows(tx, { agentId, from, to }, movedPerUnit))
  await ctx.db.forTenant(workspaceId, async () => {
    while ((await move()) === movedPerUnit);
  })
  await forgetEndUser(ctx, { workspaceId, agentId, endUser: from, everywhere: true })
}

/** Whether a conversation is the visitor's own. */
export function isOfVisitor(
  { db }: Pick<Context, 'db'>,
  of: Visitor & { readonly id: string },
): Promise<boolean> {
  return hasVisitorRow(db.read, of)
}
