import { fixedLimits } from '#kernel/limits.ts'
import { requireAgent } from '#features/agents/index.ts'
import { Fault } from '#kernel/fault.ts'
import { isHeaderName, isHeaderValue } from '#kernel/http-header.ts'
import { isNamed } from '#kernel/named-error.ts'
import type { Context } from '#platform/context.ts'
import type {
  RemoteTool,
  RemoteToolFailure,
  RemoteToolFailureReason,
} from '#platform/remote-tools/remote-tools.ts'
import {
  lacksCredentials,
  newToolServerRow,
  remoteServer,
  toolServerFromRow,
  type ServerSecrets,
  type ServerSettings,
  type ToolServer,
} from './tool-server.ts'
import { toolServerFaults } from './tool-server-faults.ts'
import { deleteToolServerRow, insertToolServer, listToolServerRows } from './tool-server-store.ts'

export interface NewToolServer extends ServerSettings {
  readonly appId: string
  readonly headers: Readonly<Record<string, string>>
}

/** Servers per agent. */
export const maxToolServers = fixedLimits.mcp_servers_per_agent.most

/**
 * Adds a remote MCP server to an agent after listing its tools. It replaces an imported server of the
 * same name that lacks its credentials.
 *
 * @throws Fault record_not_found, mcp_server_invalid, mcp_server_unusable, mcp_server_name_taken,
 *   too_many_mcp_servers
 */
export async function addToolServer(
  ctx: Pick<Context, 'db' | 'clock' | 'vault' | 'remoteTools' | 'log'>,
  workspaceId: string,
  server: NewToolServer,
): Promise<ToolServer> {
  // Checked before the server is contacted.
  const { id: agentId } = await requireAgent(ctx.db.read, workspaceId, server.appId)
  const { url, secrets } = splitAddress(server)
  const reached = { url, timeout_ms: server.timeoutMs }
  const tools = await listTools(ctx, remoteServer(reached, secrets))
  const now = ctx.clock.now()
  const headerNames = Object.keys(secrets.headers)
  const row = {
    ...newToolServerRow({ agentId, workspaceId, now }, { ...server, url, headerNames }),
    headers_sealed: isEmpty(secrets) ? null : ctx.vault.seal(JSON.stringify(secrets)),
    tools_json: JSON.stringify(tools),
    listed_at: now,
  }
  return ctx.db.write(async (tx) => {
    await requireAgent(tx, workspaceId, agentId)
    const all = await listToolServerRows(tx, agentId)
    const waiting = all.find((one) => one.name === row.name && lacksCredentials(ctx, one))
    if (waiting !== undefined) await deleteToolServerRow(tx, waiting.id)
    const others = all.filter((one) => one !== waiting)
    if (others.some(({ name }) => name === row.name))
      throw new Fault(toolServerFaults.mcp_server_name_taken, { name: row.name })
    if (others.length >= maxToolServers)
      throw new Fault(toolServerFaults.too_many_mcp_servers, { allowed: maxToolServers })
    await insertToolServer(tx, row)
    return toolServerFromRow(row)
  })
}

/** The query may hold a credential, so it is sealed with the headers. */
function splitAddress({ url: text, headers }: NewToolServer): {
  url: string
  secrets: ServerSecrets
} {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol))
    throw invalid('url must be an http(s) address')
  if (url.username !== '' || url.password !== '')
    throw invalid('url must not contain a user or password; send them in a header')
  for (const [name, value] of Object.entries(headers))
    if (!isHeaderName(name) || !isHeaderValue(value)) throw invalid(`${name} is not a valid header`)
  return { url: url.origin + url.pathname, secrets: { headers, query: url.search } }
}

async function listTools(
  { remoteTools, log }: Pick<Context, 'remoteTools' | 'log'>,
  server: ReturnType<typeof remoteServer>,
): Promise<readonly RemoteTool[]> {
  try {
    return await remoteTools.list(server, new AbortController().signal)
  } catch (error) {
    if (!isNamed<RemoteToolFailure>(error, 'RemoteToolFailure')) throw error
    const { reason, message: detail } = error
    log.info({ reason, detail }, 'a remote MCP server did not list its tools')
    const facts = { problem: problems[reason] }
    throw new Fault(toolServerFaults.mcp_server_unusable, facts, { cause: error })
  }
}

const problems: Record<RemoteToolFailureReason, string> = {
  unreachable: 'it could not be reached',
  timeout: 'it took too long to answer',
  rejected: 'it refused the credentials, or needs some in a header',
  bad_answer: 'it does not answer as an MCP server over HTTP does',
}

function isEmpty({ headers, query }: ServerSecrets): boolean {
  return Object.keys(headers).length === 0 && query === ''
}

function invalid(problem: string): Fault {
  return new Fault(toolServerFaults.mcp_server_invalid, { problem })
}
