import { camelKeys } from '#kernel/key-case.ts'
import type { Context } from '#platform/context.ts'
import { hasVisitorRow, listVisitorRows, moveVisitorRows } from './visitor-store.ts'

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

/**
 * Moves the conversations of an anonymous visitor to the person whom the host has identified.
 *
 * @returns false if there are none
 */
export async function moveVisitorConversations(
  { db }: Pick<Context, 'db'>,
  { agentId, from, to }: { readonly agentId: string; readonly from: string; readonly to: string },
): Promise<boolean> {
  const [any] = await listVisitorRows(db.read, { agentId, endUser: from, limit: 1 })
  if (any === undefined) return false
  await db.write((tx) => moveVisitorRows(tx, { agentId, from, to }))
  return true
}

/** Whether a conversation is the visitor's own. */
export function isOfVisitor(
  { db }: Pick<Context, 'db'>,
  of: Visitor & { readonly id: string },
): Promise<boolean> {
  return hasVisitorRow(db.read, of)
}
