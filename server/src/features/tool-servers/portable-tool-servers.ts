import { newId } from '#kernel/ids.ts'
import type { Context } from '#platform/context.ts'
import type { Reader, Tx } from '#platform/db/database.ts'
import { openSecrets, toolServerFromRow, type ServerSecrets } from './tool-server.ts'
import { insertToolServer, listToolServerRows } from './tool-server-store.ts'

/** A server to be copied to another agent. */
export interface PortableToolServer {
  readonly name: string
  /** Without its query, which may hold a credential. */
  readonly url: string
  readonly headerNames: readonly string[]
  readonly queryNames: readonly string[]
  readonly allowedTools: readonly string[] | null
  readonly requiresConfirmation: boolean
  readonly timeoutMs: number
  /** Sealed headers and query; null if they have to be set again. */
  readonly sealed: string | null
}

/** In the order in which they were added. The agent must have been found in the workspace first. */
export async function readPortableToolServers(
  ctx: Pick<Context, 'vault'>,
  reader: Reader,
  agentId: string,
): Promise<PortableToolServer[]> {
  const rows = await listToolServerRows(reader, agentId)
  return rows.map((row) => {
    const { name, url, headerNames, allowedTools, requiresConfirmation, timeoutMs } =
      toolServerFromRow(row)
    const queryNames = [...new URLSearchParams(openSecrets(ctx, row).query).keys()]
    const shown = { name, url, headerNames, queryNames, allowedTools }
    return { ...shown, requiresConfirmation, timeoutMs, sealed: row.headers_sealed }
  })
}

/** Sealed, because a unit may run twice. */
export interface PreparedToolServer extends PortableToolServer {
  readonly kept: string | null
}

export function prepareToolServer(
  ctx: Pick<Context, 'vault'>,
  server: PortableToolServer,
): PreparedToolServer {
  return { ...server, kept: server.sealed ?? namesOf(ctx, server) }
}

/** Keeps the names of the query without their values, so that the next export has them too. */
function namesOf({ vault }: Pick<Context, 'vault'>, { queryNames }: PortableToolServer) {
  if (queryNames.length === 0) return null
  const query = `?${new URLSearchParams(queryNames.map((name) => [name, '']))}`
  const secrets: ServerSecrets = { headers: {}, query }
  return vault.seal(JSON.stringify(secrets))
}

/** A step: adds servers to an agent that has none yet. */
export async function addPreparedToolServers(
  tx: Tx,
  place: { readonly agentId: string; readonly workspaceId: string; readonly now: number },
  servers: readonly PreparedToolServer[],
): Promise<void> {
  const { agentId, workspaceId, now } = place
  for (const server of servers)
    await insertToolServer(tx, {
      id: newId(now),
      agent_id: agentId,
      workspace_id: workspaceId,
      name: server.name,
      url: server.url,
      headers_sealed: server.kept,
      header_names_json: JSON.stringify(server.headerNames),
      allowed_tools_json: server.allowedTools === null ? null : JSON.stringify(server.allowedTools),
      requires_confirmation: server.requiresConfirmation ? 1 : 0,
      timeout_ms: server.timeoutMs,
      // The next turn lists its tools: an import does not contact the server.
      tools_json: '[]',
      listed_at: 0,
      error_code: null,
      created_at: now,
      updated_at: now,
    })
}
