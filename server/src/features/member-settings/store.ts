import type { Updateable } from 'kysely'
import type { Reader, Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'

export interface Member {
  readonly userId: string
  readonly workspaceId: string
}

export function findSeat(reader: Reader, { userId, workspaceId }: Member) {
  return reader
    .selectFrom('memberships')
    .select(['first_steps_hidden_at', 'pinned_agents_json'])
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
}

type Settings = Pick<
  Updateable<Schema['memberships']>,
  'first_steps_hidden_at' | 'pinned_agents_json'
>

export async function updateSeat(
  tx: Tx,
  { userId, workspaceId }: Member,
  change: Settings,
): Promise<void> {
  await tx
    .updateTable('memberships')
    .set(change)
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .execute()
}

export function listAgentsByIds(reader: Reader, workspaceId: string, ids: readonly string[]) {
  return reader
    .selectFrom('agents')
    .select(['id', 'app_name_id', 'name'])
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', ids)
    .where('deleted_at', 'is', null)
    .execute()
}

/** A workspace's agents without the demo agent, which Parley set up itself. */
function ownAgents(reader: Reader, workspaceId: string) {
  return reader
    .selectFrom('agents')
    .where('workspace_id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .where('agents.id', 'not in', (e) =>
      e.selectFrom('meta').select('value').where('key', '=', 'demo_agent_id'),
    )
}

export function findNewestAgent(reader: Reader, workspaceId: string) {
  return ownAgents(reader, workspaceId)
    .select(['id', 'app_name_id', 'name'])
    .orderBy('id', 'desc')
    .executeTakeFirst()
}

/** What a workspace's own agents have: each is true as soon as one of them has it. */
export async function findAgentFacts(reader: Reader, workspaceId: string) {
  const own = () => ownAgents(reader, workspaceId).select('agents.id')
  const [source, session, key, page] = await Promise.all([
    reader
      .selectFrom('knowledge_sources')
      .select('id')
      .where('agent_id', 'in', own())
      .where('status', '!=', 'failed')
      .limit(1)
      .executeTakeFirst(),
    reader
      .selectFrom('chat_sessions')
      .select('id')
      .where('agent_id', 'in', own())
      .limit(1)
      .executeTakeFirst(),
    reader
      .selectFrom('api_keys')
      .select('id')
      .where('workspace_id', '=', workspaceId)
      .where('kind', '=', 'chat')
      .where('revoked_at', 'is', null)
      .where('agent_id', 'in', own())
      .limit(1)
      .executeTakeFirst(),
    reader
      .selectFrom('chat_pages')
      .select('agent_id')
      .where('workspace_id', '=', workspaceId)
      // Within a text of the settings, the quotation marks would be escaped.
      .where('settings_json', 'like', '%"enabled":true%')
      .where('agent_id', 'in', own())
      .limit(1)
      .executeTakeFirst(),
  ])
  return {
    hasKnowledge: source !== undefined,
    hasChat: session !== undefined,
    isShared: key !== undefined || page !== undefined,
  }
}
