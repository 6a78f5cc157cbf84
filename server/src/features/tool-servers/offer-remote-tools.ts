import {
  failedOutcome,
  CallFailure,
  freeToolName,
  toolName,
  type CallOutcome,
  type CallFailureCode,
  type OfferedTool,
} from '#features/tool-calls/index.ts'
import type { Mask } from '#kernel/mask.ts'
import { isNamed } from '#kernel/named-error.ts'
import type { Context } from '#platform/context.ts'
import type { Reader } from '#platform/db/database.ts'
import type {
  RemoteSession,
  RemoteTool,
  RemoteToolFailure,
  RemoteToolFailureReason,
} from '#platform/remote-tools/remote-tools.ts'
import {
  openSecrets,
  remoteServer,
  secretTexts,
  toolServerFromRow,
  type ToolServer,
} from './tool-server.ts'
import { listToolServerRows, updateListing, type ToolServerRow } from './tool-server-store.ts'

/** How long a list of tools stays fresh, in milliseconds. */
const freshMs = 5 * 60_000

/** How long a turn waits for a list of tools, in milliseconds. After that it uses the previous one. */
const maxListingMs = 5_000

type RemoteContext = Pick<Context, 'db' | 'clock' | 'vault' | 'remoteTools' | 'log'>

export interface RemoteOffer {
  readonly tools: readonly OfferedTool[]
  /** Texts to be masked in results. */
  readonly secrets: readonly string[]
  /** Closes the sessions of the calls. */
  close(): void
}

/**
 * The tools of an agent's remote servers, as tools of this turn. If a server does not answer, the tools
 * that it listed last are offered.
 *
 * @param mask hides the secrets of the turn, including those of these servers
 */
export async function offerRemoteTools(
  ctx: RemoteContext,
  agentId: string,
  mask: Mask,
  signal: AbortSignal,
): Promise<RemoteOffer> {
  const rows = await listToolServerRows(ctx.db.read, agentId)
  const servers = rows.map((row) => ({ row, secrets: openSecrets(ctx, row) }))
  const sessions: RemoteSession[] = []
  const offers = await Promise.all(
    servers.map(async ({ row, secrets }) => {
      const reached = remoteServer(row, secrets)
      const tools = await presentTools(ctx, row, reached, signal)
      const session = ctx.remoteTools.open(reached)
      sessions.push(session)
      return offerServer(ctx, toolServerFromRow(row), tools, session, mask)
    }),
  )
  return {
    tools: offers.flat(),
    secrets: servers.flatMap(({ secrets }) => secretTexts(secrets)),
    close: () => void Promise.all(sessions.map((session) => session.close())),
  }
}

async function presentTools(
  ctx: RemoteContext,
  row: ToolServerRow,
  server: ReturnType<typeof remoteServer>,
  signal: AbortSignal,
): Promise<readonly RemoteTool[]> {
  const now = ctx.clock.now()
  const known = toolServerFromRow(row).tools
  if (now - row.listed_at < freshMs) return known
  const timeoutMs = Math.min(row.timeout_ms, maxListingMs)
  try {
    const tools = await ctx.remoteTools.list({ ...server, timeoutMs }, signal)
    const change = { tools_json: JSON.stringify(tools), listed_at: now, error_code: null }
    await ctx.db.write((tx) => updateListing(tx, row.id, change))
    return tools
  } catch (error) {
    if (!isNamed<RemoteToolFailure>(error, 'RemoteToolFailure')) throw error
    const { reason, message: detail } = error
    const about = { serverId: row.id, reason, detail }
    ctx.log.warn(about, 'a remote MCP server did not list its tools')
    const change = { listed_at: now, error_code: reason }
    await ctx.db.write((tx) => updateListing(tx, row.id, change))
    return known
  }
}

function offerServer(
  ctx: Pick<Context, 'log'>,
  server: ToolServer,
  tools: readonly RemoteTool[],
  session: RemoteSession,
  mask: Mask,
): OfferedTool[] {
  return namedTools(server, tools).map(([name, remote]) => ({
    tool: {
      name,
      description: remote.description || (remote.title ?? remote.name),
      parameters: remote.inputSchema,
      strict: false,
    },
    kind: 'mcp' as const,
    sourceId: server.id,
    sourceUpdatedAt: server.updatedAt,
    title: remote.title ?? remote.name,
    requiresConfirmation: server.requiresConfirmation,
    timeoutMs: server.timeoutMs,
    // The server validates the arguments itself.
    problemOf: () => null,
    run: (args, signal) => runRemote(ctx, remote.name, { session, mask, server }, args, signal),
  }))
}

/** The names of the tools that the remote servers of an agent listed last. No server is asked. */
export async function knownRemoteNames(reader: Reader, agentId: string): Promise<string[]> {
  const rows = await listToolServerRows(reader, agentId)
  return rows.map(toolServerFromRow).flatMap((server) => {
    return namedTools(server, server.tools).map(([name]) => name)
  })
}

/** The tools of a server that the agent may call, by the names that the model calls them. */
function namedTools(
  { name: server, allowedTools }: Pick<ToolServer, 'name' | 'allowedTools'>,
  tools: readonly RemoteTool[],
): (readonly [name: string, tool: RemoteTool])[] {
  const taken = new Set<string>()
  return tools
    .filter(({ name }) => allowedTools === null || allowedTools.includes(name))
    .map((tool) => {
      const name = freeToolName(remoteToolName(server, tool.name), taken)
      taken.add(name)
      return [name, tool]
    })
}

/** Between the name of a server and that of its tool. Names of actions have no two underscores in a row. */
export const remoteNameSeparator = '__'

function remoteToolName(server: string, tool: string): string {
  return `${server}${remoteNameSeparator}${toolName(tool)}`.slice(0, 64)
}

async function runRemote(
  { log }: Pick<Context, 'log'>,
  name: string,
  of: { session: RemoteSession; mask: Mask; server: ToolServer },
  args: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<CallOutcome> {
  try {
    const { isError, data } = await of.session.call(name, args, signal)
    const masked = await of.mask.valueInSlices(data)
    if (!isError) return { ok: true, httpStatus: null, errorCode: null, error: null, data: masked }
    const error = 'The tool reports an error.'
    return { ok: false, httpStatus: null, errorCode: 'tool_error', error, data: masked }
  } catch (error) {
    if (!isNamed<RemoteToolFailure>(error, 'RemoteToolFailure')) throw error
    const { reason, message: detail } = error
    const serverId = of.server.id
    log.info({ serverId, tool: name, reason, detail }, 'a call of a remote tool failed')
    return failedOutcome(new CallFailure(...failures[reason]))
  }
}

const failures: Record<RemoteToolFailureReason, [CallFailureCode, string]> = {
  unreachable: ['unreachable', 'The server could not be reached.'],
  timeout: ['timeout', 'The server took too long to answer.'],
  rejected: ['http_error', 'The server refused our credentials.'],
  bad_answer: ['bad_answer', 'The server gave no usable answer.'],
}
