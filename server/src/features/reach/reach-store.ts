import { sql } from 'kysely'
import type { Reader } from '#platform/db/database.ts'

/** The live workspaces of a person among these ids. */
export function findOwnWorkspaces(reader: Reader, userId: string, ids: readonly string[]) {
  return reader
    .selectFrom('workspaces as workspace')
    .innerJoin('memberships as seat', 'seat.workspace_id', 'workspace.id')
    .where('seat.user_id', '=', userId)
    .where('workspace.deleted_at', 'is', null)
    .where('workspace.id', 'in', ids)
    .select(['workspace.id', 'workspace.name'])
    .execute()
}

/** The live agents of a person's live workspaces. */
function ownAgents(reader: Reader, userId: string) {
  return reader
    .selectFrom('agents as agent')
    .innerJoin('workspaces as workspace', 'workspace.id', 'agent.workspace_id')
    .innerJoin('memberships as seat', 'seat.workspace_id', 'workspace.id')
    .where('seat.user_id', '=', userId)
    .where('workspace.deleted_at', 'is', null)
    .where('agent.deleted_at', 'is', null)
    .select(['agent.id', 'agent.app_name_id', 'agent.name', 'agent.workspace_id'])
}

/** @param ids UUIDs or `app_name_id`s */
export function findOwnAgents(reader: Reader, userId: string, ids: readonly string[]) {
  return ownAgents(reader, userId)
    .where((e) => e.or([e('agent.id', 'in', ids), e('agent.app_name_id', 'in', ids)]))
    .execute()
}

/**
 * Newest first.
 *
 * @param search part of the name. SQLite ignores the case of ASCII letters only.
 */
export function listOwnAgents(
  reader: Reader,
  userId: string,
  { limit, search }: { readonly limit: number; readonly search: string },
) {
  let query = ownAgents(reader, userId).orderBy('agent.id', 'desc').limit(limit)
  if (search !== '') {
    const part = `%${search.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
    query = query.where((e) =>
      e.or([
        sql<boolean>`agent.name like ${part} escape '\\'`,
        sql<boolean>`lower(agent.name) like ${part.toLowerCase()} escape '\\'`,
      ]),
    )
  }
  return query.execute()
}
