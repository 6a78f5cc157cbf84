import { z } from 'zod'
import { pageOf, readCursor, type Page, type PageRequest } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import { readAgentSettings, type AgentSettings } from './agent-settings.ts'
import { requireAgent } from './get-agent.ts'
import { listVersionRows } from './store.ts'

export interface AgentVersion {
  readonly version: number
  /** True for the version that the agent answers with. */
  readonly current: boolean
  readonly settings: AgentSettings
  readonly note: string | null
  readonly author: { readonly id: string; readonly name: string; readonly email: string }
  readonly createdAt: number
}

/**
 * Every version of an agent, newest first.
 *
 * @throws Fault record_not_found
 */
export async function listAgentVersions(
  ctx: Pick<Context, 'db'>,
  workspaceId: string,
  appId: string,
  { limit, cursor }: PageRequest,
): Promise<Page<AgentVersion>> {
  const before = readCursor(cursor, z.int().min(1))
  const agent = await requireAgent(ctx.db.read, workspaceId, appId)
  const rows = await listVersionRows(ctx.db.read, agent.id, { limit: limit + 1, before })
  return pageOf(rows, limit, {
    key: (row) => row.version,
    item: (row) => ({
      version: row.version,
      current: row.version === agent.version,
      settings: readAgentSettings(row.settings_json),
      note: row.note,
      author: { id: row.author_id, name: row.author_name, email: row.author_email },
      createdAt: row.created_at,
    }),
  })
}
