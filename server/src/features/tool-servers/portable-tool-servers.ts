import type { Context } from '#platform/context.ts'
import type { Reader, Tx } from '#platform/db/database.ts'
import {
  newToolServerRow,
  openSecrets,
  toolServerFromRow,
  type ServerSecrets,
  type ServerSettings,
} from './tool-server.ts'
import { insertToolServer, listToolServerRows } from './tool-server-store.ts'

/** A server to be copied to another agent. */
export interface PortableToolServer extends ServerSettings {
  readonly headerNames: readonly string[]
  readonly queryNames: readonly string[]
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
    const queryNames = [...new URLSearchParams(openSecrets(ctx, row).query).keys()]
    return { ...toolServerFromRow(row), queryNames, sealed: row.headers_sealed }
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
  // The next turn lists the tools: an import does not contact the server.
  for (const server of servers)
    await insertToolServer(tx, { ...newToolServerRow(place, server), headers_sealed: server.kept })
}
