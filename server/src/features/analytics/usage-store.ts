import { sql } from 'kysely'
import { dayMs } from '#kernel/durations.ts'
import type { Reader, Tx } from '#platform/db/database.ts'
import { callBytes, messageBytes } from './counted-rows-store.ts'
import { daySpan, spans } from './spans.ts'

/** How much was added; negative for what was deleted. */
export interface Usage {
  readonly messages: number
  readonly bytes: number
  /** Rows of `analytics_users`. */
  readonly users: number
}

/** A step: adds to the usage of an agent's workspace. @returns the workspace's new usage */
export async function addAgentUsage(tx: Tx, agentId: string, added: Usage) {
  return await addUsage(tx, sql`select workspace_id from agents where id = ${agentId}`, added, 0)
}

/** A step: corrects a workspace's usage. */
export async function correctUsage(tx: Tx, workspaceId: string, by: Usage, now: number) {
  await addUsage(tx, sql`select id from workspaces where id = ${workspaceId}`, by, now)
}

async function addUsage(
  tx: Tx,
  workspace: ReturnType<typeof sql>,
  { messages, bytes, users }: Usage,
  comparedAt: number,
): Promise<{ workspace_id: string; analytics_users: number } | undefined> {
  const number = (value: number) => sql`cast(${value} as bigint)`
  const { rows } = await sql<{ workspace_id: string; analytics_users: number }>`
    insert into workspace_usage
      (workspace_id, messages, message_bytes, analytics_users, compared_at)
    select (${workspace}), ${number(messages)}, ${number(bytes)}, ${number(users)},
      ${number(comparedAt)}
    where exists (${workspace})
    on conflict (workspace_id) do update set
      messages = workspace_usage.messages + excluded.messages,
      message_bytes = workspace_usage.message_bytes + excluded.message_bytes,
      analytics_users = workspace_usage.analytics_users + excluded.analytics_users,
      compared_at = case when excluded.compared_at > 0 then excluded.compared_at
        else workspace_usage.compared_at end
    returning workspace_id, analytics_users
  `.execute(tx)
  return rows[0]
}

/**
 * Workspaces whose usage was not compared with their rows since `before`, or since the contents of one
 * of their agents were purged.
 */
export async function listUncompared(reader: Reader, before: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select place.id from workspaces as place
    left join workspace_usage as held on held.workspace_id = place.id
    where coalesce(held.compared_at, 0) < ${before} or exists (
      select 1 from agents as agent
      where agent.workspace_id = place.id and agent.purged_at >= held.compared_at
    )
    order by place.id
  `.execute(reader)
  return rows.map(({ id }) => id)
}

/**
 * How far a workspace's usage is from its rows. One statement, so that it sees the watermark, the usage
 * and the rows as of one moment; whatever is added later changes usage and rows alike.
 *
 * @returns null while a conversation is being deleted: its rows do not name their agent
 */
export async function findDifference(reader: Reader, workspaceId: string): Promise<Usage | null> {
  const { rows } = await sql<Usage>`
    select cast(stored.messages - coalesce(held.messages, 0) as bigint) as messages,
      cast(stored.bytes + repeated.bytes + called.bytes - coalesce(held.message_bytes, 0) as bigint) as bytes,
      cast(counted.users - coalesce(held.analytics_users, 0) as bigint) as users
    from (
      select count(*) as messages, coalesce(sum(${messageBytes}), 0) as bytes
      from agents as agent
      join chat_sessions as session on session.agent_id = agent.id
      join chat_messages as message on message.session_id = session.id
      where agent.workspace_id = ${workspaceId} and message.created_at < (
        select reached_at from watermarks where name = 'analytics'
      )
    ) as stored
    cross join (
      select coalesce(sum(octet_length(response.request_json)), 0) as bytes
      from agents as agent
      join chat_sessions as session on session.agent_id = agent.id
      join chat_responses as response on response.session_id = session.id
      where agent.workspace_id = ${workspaceId} and response.created_at < (
        select reached_at from watermarks where name = 'analytics'
      )
    ) as repeated
    cross join (
      select coalesce(sum(${callBytes}), 0) as bytes
      from agents as agent
      join chat_sessions as session on session.agent_id = agent.id
      join action_calls as call on call.session_id = session.id
      where agent.workspace_id = ${workspaceId} and call.finished_at < (
        select reached_at from watermarks where name = 'analytics'
      )
    ) as called
    cross join (
      select count(*) as users
      from agents as agent
      join analytics_users as known on known.agent_id = agent.id
      where agent.workspace_id = ${workspaceId}
    ) as counted
    left join workspace_usage as held on held.workspace_id = ${workspaceId}
    where not exists (select 1 from deleted_sessions where workspace_id = ${workspaceId})
  `.execute(reader)
  return rows[0] ?? null
}

/** A workspace's oldest day with counted end users, and its agent; null if there is none. */
export async function findOldestUsers(tx: Tx, workspaceId: string) {
  const { rows } = await sql<{ agent_id: string; day: number }>`
    select agent_id, day from (
      select agent.id as agent_id, (
        select min(starts_at) from analytics_users as known
        where known.agent_id = agent.id and known.span_minutes = ${sql.lit(daySpan)}
      ) as day
      from agents as agent where agent.workspace_id = ${workspaceId}
    ) as oldest
    where day is not null order by day, agent_id limit 1
  `.execute(tx)
  return rows[0] ?? null
}

/**
 * A step: deletes end users of an agent's day, and of the shorter spans within it. Those of the whole
 * day come last: `findOldestUsers` looks for them.
 *
 * @returns how many rows were deleted, at most `limit`
 */
export async function deleteUsersOfDay(
  tx: Tx,
  { agent_id: agentId, day }: { readonly agent_id: string; readonly day: number },
  limit: number,
): Promise<number> {
  let left = limit
  for (const span of spans) {
    if (left === 0) break
    const deleted = await sql`
      delete from analytics_users
      where (agent_id, span_minutes, starts_at, user_key, source) in (
        select agent_id, span_minutes, starts_at, user_key, source from analytics_users
        where agent_id = ${agentId} and span_minutes = ${sql.lit(span)}
          and starts_at >= ${day} and starts_at < ${day + dayMs}
        limit ${left}
      )
    `.execute(tx)
    left -= Number(deleted.numAffectedRows ?? 0)
  }
  return limit - left
}
