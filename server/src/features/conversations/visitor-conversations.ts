import { camelKeys } from '#kernel/key-case.ts'
import type { Context } from '#platform/context.ts'
import { hasVisitorRow, listVisitorRows } from './visitor-store.ts'

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

/** Whether a conversation is the visitor's own. */
export function isOfVisitor(
  { db }: Pick<Context, 'db'>,
  of: Visitor & { readonly id: string },
): Promise<boolean> {
  return hasVisitorRow(db.read, of)
}
