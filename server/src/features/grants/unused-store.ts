import { sql } from 'kysely'
import type { Reader } from '#platform/db/database.ts'

interface UnusedFilter {
  readonly workspaceId: string
  readonly now: number
  /** The newest last use that counts as unused. */
  readonly unusedSince: number
}

/** The keys of a workspace that work: not revoked, not expired, and not of a deleted agent. */
function keys(reader: Reader, { workspaceId, now }: UnusedFilter) {
  return reader
    .selectFrom('api_keys as key')
    .leftJoin('agents as agent', 'agent.id', 'key.agent_id')
    .where('key.workspace_id', '=', workspaceId)
    .where('key.revoked_at', 'is', null)
    .where('agent.deleted_at', 'is', null)
    .where((e) => e.or([e('key.expires_at', 'is', null), e('key.expires_at', '>', now)]))
    .select([
      'key.id',
      sql<'chat' | 'acp' | 'developer' | 'grant'>`key.kind`.as('kind'),
      'key.name',
      'key.user_id',
      'key.agent_id',
      'key.created_at',
      'key.expires_at',
      'key.last_used_at',
      'key.last_used_address',
      'key.last_used_agent',
      'key.reach_json',
      'key.has_checksum',
    ])
}

function grants(reader: Reader, { workspaceId, now }: UnusedFilter) {
  return reader
    .selectFrom('oauth_grants as grant')
    .where('grant.workspace_id', '=', workspaceId)
    .where('grant.revoked_at', 'is', null)
    .where('grant.expires_at', '>', now)
    .select([
      'grant.id',
      sql<'chat' | 'acp' | 'developer' | 'grant'>`'grant'`.as('kind'),
      'grant.client_name as name',
      'grant.user_id',
      sql<string | null>`null`.as('agent_id'),
      'grant.created_at',
      sql<number | null>`"grant".expires_at`.as('expires_at'),
      'grant.last_used_at',
      'grant.last_used_address',
      'grant.last_used_agent',
      'grant.reach_json',
      sql<number>`0`.as('has_checksum'),
    ])
}

/** Newest first. */
export function listUnusedRows(
  reader: Reader,
  filter: UnusedFilter,
  page: { readonly limit: number; readonly before: string | undefined },
) {
  let query = reader
    .selectFrom(keys(reader, filter).unionAll(grants(reader, filter)).as('one'))
    .innerJoin('users as person', 'person.id', 'one.user_id')
    .where((e) => e(e.fn.coalesce('one.last_used_at', 'one.created_at'), '<=', filter.unusedSince))
    .selectAll('one')
    .select('person.email as user_email')
    .orderBy('one.id', 'desc')
    .limit(page.limit)
  if (page.before !== undefined) query = query.where('one.id', '<', page.before)
  return query.execute()
}
