import { sql, type Expression, type RawBuilder, type SqlBool } from 'kysely'
import type { FixedLimitName, LimitName } from '#kernel/limits.ts'
import type { Reader } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'

/** The limits of records that belong to a workspace or an agent. */
export type RecordLimit = Exclude<LimitName, 'workspaces_per_person' | 'messages_per_conversation'>
export type CountedLimit = RecordLimit | FixedLimitName

interface Counted {
  readonly table: keyof Schema
  readonly by: 'workspace_id' | 'agent_id'
  /** Counts a workspace's rows by its agents: no index on `workspace_id` fits. */
  readonly throughAgents?: true
  /** Which rows count; all if absent. */
  readonly where?: (now: number) => Expression<SqlBool>
  /** A column that is summed instead. */
  readonly sum?: string
  /** Another table with the same columns, whose rows count as well. */
  readonly and?: keyof Schema
}

/** Each is counted with an index on its owner, or on its agent, never with a scan of all tenants' rows. */
export const countedRecords: Readonly<Record<CountedLimit, Counted>> = {
  // A deleted agent counts until its purge: otherwise deleting and creating would fill the database.
  agents_per_workspace: {
    table: 'agents',
    by: 'workspace_id',
    where: () => sql`purged_at is null`,
  },
  members_per_workspace: { table: 'memberships', by: 'workspace_id' },
  invitations_per_workspace: {
    table: 'invitations',
    by: 'workspace_id',
    where: (now) => sql`accepted_at is null and revoked_at is null and expires_at > ${now}`,
  },
  keys_per_workspace: {
    table: 'api_keys',
    by: 'workspace_id',
    where: () => sql`revoked_at is null`,
  },
  providers_per_workspace: { table: 'model_providers', by: 'workspace_id' },
  credit_caps_per_workspace: { table: 'credit_caps', by: 'workspace_id' },
  storage_bytes_per_workspace: {
    table: 'knowledge_sources',
    by: 'workspace_id',
    sum: 'byte_length',
    and: 'uploaded_files',
  },
  chunks_per_workspace: { table: 'knowledge_sources', by: 'workspace_id', sum: 'chunk_count' },
  // The first condition is that of the index on the sources that are not ready.
  queued_sources_per_workspace: {
    table: 'knowledge_sources',
    by: 'workspace_id',
    throughAgents: true,
    where: () => sql`status <> 'ready' and status = 'queued'`,
  },
  // Kept by the job that counts conversations for analytics: counting rows would slow every turn.
  messages_per_workspace: { table: 'workspace_usage', by: 'workspace_id', sum: 'messages' },
  message_bytes_per_workspace: {
    table: 'workspace_usage',
    by: 'workspace_id',
    sum: 'message_bytes',
  },
  counted_users_per_workspace: {
    table: 'workspace_usage',
    by: 'workspace_id',
    sum: 'analytics_users',
  },
  conversations_per_workspace: {
    table: 'chat_sessions',
    by: 'workspace_id',
    throughAgents: true,
  },
  domains_per_workspace: {
    table: 'chat_pages',
    by: 'workspace_id',
    where: () => sql`domain is not null`,
  },
  actions_per_agent: { table: 'custom_actions', by: 'agent_id' },
  variables_per_agent: { table: 'agent_variables', by: 'agent_id' },
  mcp_servers_per_agent: { table: 'tool_servers', by: 'agent_id' },
  sources_per_agent: { table: 'knowledge_sources', by: 'agent_id' },
  files_per_agent: { table: 'uploaded_files', by: 'agent_id' },
  products_per_agent: { table: 'products', by: 'agent_id', where: () => sql`deleted_at is null` },
  webhooks_per_agent: {
    table: 'webhook_endpoints',
    by: 'agent_id',
    where: () => sql`deleted_at is null`,
  },
}

/** What an owner has now. */
export async function countOf(
  reader: Reader,
  limit: CountedLimit,
  ownerId: string,
  now: number,
): Promise<number> {
  const { rows } = await countQuery(limit, ownerId, now).execute(reader)
  return Number(rows[0]?.count ?? 0)
}

export function countQuery(
  limit: CountedLimit,
  ownerId: string,
  now: number,
): RawBuilder<{ count: number }> {
  const { table, by, throughAgents, where, sum, and } = countedRecords[limit]
  const what = sum === undefined ? sql`count(*)` : sql`coalesce(sum(${sql.ref(sum)}), 0)`
  const owned = throughAgents
    ? sql`agent_id in (select id from agents where workspace_id = ${ownerId})`
    : sql`${sql.ref(by)} = ${ownerId}`
  const more = where === undefined ? sql`` : sql`and ${where(now)}`
  const rows = (one: keyof Schema) => sql`from ${sql.table(one)} where ${owned} ${more}`
  const others = and === undefined ? sql`` : sql`+ (select ${what} ${rows(and)})`
  return sql`select ${what} ${others} as count ${rows(table)}`
}

/** The agent of a workspace that has the most, and how many; no row if none has any. */
export function mostQuery(
  limit: CountedLimit,
  workspaceId: string,
  now: number,
): RawBuilder<{ agent_id: string; count: number }> {
  const { table, where } = countedRecords[limit]
  const more = where === undefined ? sql`` : sql`and ${where(now)}`
  return sql`
    select agent_id, count(*) as count from ${sql.table(table)}
    where agent_id in (select id from agents where workspace_id = ${workspaceId} and deleted_at is null) ${more}
    group by agent_id order by count(*) desc, agent_id limit 1
  `
}

/** What a workspace has of a limit, or the agent of it that has the most. */
export interface CountedRecords {
  readonly limit: CountedLimit
  readonly agentId: string | null
  readonly count: number
}

/**
 * All limits in one statement: a busy server takes longer to begin twenty statements than to run them.
 * Limits of agents are left out if no agent has any.
 */
export async function countAll(
  reader: Reader,
  workspaceId: string,
  now: number,
): Promise<ReadonlyMap<CountedLimit, CountedRecords>> {
  const parts = countedLimits.map((limit) =>
    countedRecords[limit].by === 'workspace_id'
      ? sql`select ${sql.lit(limit)} as "limit", cast(null as text) as agent_id, counted.count
          from (${countQuery(limit, workspaceId, now)}) as counted`
      : sql`select ${sql.lit(limit)}, counted.agent_id, counted.count
          from (${mostQuery(limit, workspaceId, now)}) as counted`,
  )
  const { rows } = await sql<{
    limit: CountedLimit
    agent_id: string | null
    count: number
  }>`${sql.join(parts, sql` union all `)}`.execute(reader)
  return new Map(
    rows.map(({ limit, agent_id: agentId, count }) => [
      limit,
      { limit, agentId, count: Number(count) },
    ]),
  )
}

// The table has exactly these keys.
export const countedLimits = Object.keys(countedRecords) as CountedLimit[]
