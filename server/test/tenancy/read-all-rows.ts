import { sql } from 'kysely'
import type { Reader } from '#platform/db/database.ts'

/** Tables with a workspace, apart from the audit log. */
const tables = [
  'workspaces',
  'memberships',
  'invitations',
  'agents',
  'api_keys',
  'oauth_grants',
  'model_providers',
  'knowledge_sources',
  'products',
  'commerce_settings',
  'checkout_sessions',
  'orders',
  'webhook_endpoints',
  'webhook_deliveries',
  'custom_actions',
  'agent_variables',
  'tool_servers',
  'chat_pages',
  'widget_loads',
  'chat_sessions',
  'chat_messages',
  'chat_feedback',
  'chat_responses',
  'response_runs',
  'response_texts',
  'conversation_metadata',
  'session_summaries',
  'credit_entries',
  'credit_caps',
] as const

/** All rows of all workspaces, to check that none changed. */
export async function readAllRows(reader: Reader): Promise<unknown> {
  return await Promise.all(
    tables.map(async (table) => {
      const { rows } = await sql`select * from ${sql.table(table)}`.execute(reader)
      return { table, rows: rows.map((row) => JSON.stringify(row)).toSorted() }
    }),
  )
}
