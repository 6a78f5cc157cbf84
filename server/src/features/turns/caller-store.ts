import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { Context } from '#platform/context.ts'
import type { Reader } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'

/** Sources count whether they are ready or not. */
const hasKnowledge = flag(sql`exists (
  select 1 from knowledge_sources as source where source.agent_id = agent.id
)`).as('has_knowledge')

const hasTools = flag(sql`exists (
  select 1 from custom_actions as action where action.agent_id = agent.id and action.enabled = 1
) or exists (
  select 1 from tool_servers as server where server.agent_id = agent.id
)`).as('has_tools')

/** Whether the workspace has providers of its own or credit caps, and how many prices there are (see `currentPrice`). */
const workspaceFacts = [
  flag(sql`exists (
    select 1 from model_providers as own where own.workspace_id = workspace.id
  )`).as('has_own_providers'),
  flag(sql`exists (
    select 1 from credit_caps as cap where cap.workspace_id = workspace.id
  )`).as('has_caps'),
  sql<number>`(select count(*) from credit_prices)`.as('price_count'),
] as const

const agentColumns = [
  'agent.id as agent_id',
  'workspace.id as workspace_id',
  'agent.app_name_id',
  'agent.version as agent_version',
  'agent.settings_json',
  'agent.created_at as agent_created_at',
  'workspace.plan',
  'held.messages as held_messages',
  'held.message_bytes as held_bytes',
] as const

/** The one read of every chat request: key, workspace and its stored messages, and agent. */
export const chatKeyOfHash = (db: Kysely<Schema>, given: { hash: string }) =>
  db
    .selectFrom('api_keys as key')
    .innerJoin('workspaces as workspace', 'workspace.id', 'key.workspace_id')
    .innerJoin('agents as agent', 'agent.id', 'key.agent_id')
    .leftJoin('workspace_usage as held', 'held.workspace_id', 'key.workspace_id')
    .where('key.hash', '=', given.hash)
    .where('key.kind', '=', 'chat')
    .select([
      'key.id as key_id',
      'key.expires_at',
      'key.last_used_at',
      'key.revoked_at',
      'key.allowed_addresses',
      'workspace.deleted_at as workspace_deleted_at',
      'agent.deleted_at as agent_deleted_at',
    ])
    .select(agentColumns)
    .select([hasKnowledge, hasTools, ...workspaceFacts])

/** The same of a live agent, for a visitor of its chat page. */
export const agentOfPage = (
  db: Kysely<Schema>,
  given: { readonly workspaceId: string; readonly agentId: string },
) =>
  db
    .selectFrom('agents as agent')
    .innerJoin('workspaces as workspace', 'workspace.id', 'agent.workspace_id')
    .leftJoin('workspace_usage as held', 'held.workspace_id', 'agent.workspace_id')
    .where('agent.id', '=', given.agentId)
    .where('agent.workspace_id', '=', given.workspaceId)
    .where('agent.deleted_at', 'is', null)
    .select(agentColumns)
    .select([hasKnowledge, hasTools, ...workspaceFacts])

/** A condition as 1 or 0 on both engines. */
function flag(condition: RawBuilder<unknown>) {
  return sql<number>`case when ${condition} then 1 else 0 end`
}

export type CallerRow = Awaited<ReturnType<ReturnType<typeof chatKeyOfHash>['execute']>>[number]
export type AgentOfPageRow = Awaited<ReturnType<ReturnType<typeof agentOfPage>['execute']>>[number]

/** The workspace of a live agent by name or UUID. */
export async function findAgentWorkspace(
  ctx: Pick<Context, 'db'>,
  model: string,
): Promise<string | undefined> {
  const row = await ctx.db.read
    .selectFrom('agents')
    .select('workspace_id')
    .where((agent) => agent.or([agent('app_name_id', '=', model), agent('id', '=', model)]))
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return row?.workspace_id
}

/** What a turn knows about an agent besides its settings, for a caller without a chat key. */
export function findAbilities(reader: Reader, agentId: string) {
  return reader
    .selectFrom('agents as agent')
    .leftJoin('workspace_usage as held', 'held.workspace_id', 'agent.workspace_id')
    .select([hasKnowledge, hasTools])
    .select(['held.messages as held_messages', 'held.message_bytes as held_bytes'])
    .where('agent.id', '=', agentId)
    .executeTakeFirstOrThrow()
}
