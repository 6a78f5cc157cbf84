import { sql, type RawBuilder } from 'kysely'
import type { Reader } from '#platform/db/database.ts'

export const recordKinds = [
  'agent',
  'source',
  'action',
  'tool_server',
  'product',
  'order',
  'chat_key',
  'checkout_key',
  'developer_key',
  'connected_app',
  'webhook',
  'conversation',
  'member',
  'invitation',
  'workspace',
] as const

interface NamedRow {
  readonly id: string
  readonly kind: (typeof recordKinds)[number]
  /** Which record to open: the order of a payment or of a delivery, otherwise the record itself. */
  readonly record_id: string
  readonly name: string
  /** Null if the record belongs to no agent, or to a deleted one. */
  readonly app_name_id: string | null
}

/** Records of agents, in tables with `id`, `workspace_id` and `agent_id`. */
const ofAgents = [
  [sql`'source'`, 'knowledge_sources', sql`r.title`],
  [sql`'action'`, 'custom_actions', sql`r.name`],
  [sql`'tool_server'`, 'tool_servers', sql`r.name`],
  [sql`'product'`, 'products', sql`r.name`],
  [sql`'order'`, 'orders', sql`cast(r.number as text)`],
  [sql`'webhook'`, 'webhook_endpoints', sql`r.url`],
  [
    sql`case r.kind when 'chat' then 'chat_key' when 'acp' then 'checkout_key' else 'developer_key' end`,
    'api_keys',
    sql`r.name`,
  ],
] as const

/** Records that are shown as the order that they are about. */
const aboutOrders = ['payments', 'webhook_deliveries'] as const

/** Conversations, and background responses, which are part of one. */
const conversations = [
  ['chat_sessions', sql`r.id`],
  ['chat_responses', sql`r.session_id`],
] as const

/** The records of a workspace that have one of the ids, in any table. */
export async function listNamedRows(
  reader: Reader,
  workspaceId: string,
  ids: readonly string[],
): Promise<readonly NamedRow[]> {
  const found = sql`r.workspace_id = ${workspaceId} and r.id in (${sql.join(ids)})`
  const live = sql`left join agents a on a.id = r.agent_id and a.deleted_at is null`
  const parts: RawBuilder<unknown>[] = [
    sql`select r.id, 'agent' as kind, r.id as record_id, r.name,
      case when r.deleted_at is null then r.app_name_id end as app_name_id
      from agents r where ${found}`,
    ...ofAgents.map(
      ([kind, table, name]) => sql`select r.id, ${kind}, r.id, ${name}, a.app_name_id
        from ${sql.table(table)} r ${live} where ${found}`,
    ),
    ...aboutOrders.map(
      (table) => sql`select r.id, 'order', o.id, cast(o.number as text), a.app_name_id
        from ${sql.table(table)} r join orders o on o.id = r.order_id ${live} where ${found}`,
    ),
    // A conversation has no name of its own: it is one with its agent.
    ...conversations.map(
      ([table, session]) => sql`select r.id, 'conversation', ${session}, n.name, a.app_name_id
        from ${sql.table(table)} r join agents n on n.id = r.agent_id ${live} where ${found}`,
    ),
    sql`select r.id, 'connected_app', r.id, r.client_name, null
      from oauth_grants r where ${found}`,
    sql`select u.id, 'member', u.id, u.name, null
      from memberships m join users u on u.id = m.user_id
      where m.workspace_id = ${workspaceId} and u.id in (${sql.join(ids)})`,
    // Whom it is for, or its role if it is for whoever holds the link.
    sql`select r.id, 'invitation', r.id, coalesce(r.email, r.role), null
      from invitations r where ${found}`,
    sql`select w.id, 'workspace', w.id, w.name, null
      from workspaces w where w.id = ${workspaceId} and w.id in (${sql.join(ids)})`,
  ]
  const { rows } = await sql<NamedRow>`${sql.join(parts, sql` union all `)}`.execute(reader)
  return rows
}
