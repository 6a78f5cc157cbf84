import { z } from 'zod'
import { newId } from '#kernel/ids.ts'
import { camelKeys } from '#kernel/key-case.ts'
import type { RemoteServer, RemoteTool } from '#platform/remote-tools/remote-tools.ts'
import type { Context } from '#platform/context.ts'
import type { ToolServerRow } from './tool-server-store.ts'

export const toolServerName = z
  .string()
  .regex(
    /^[a-z][a-z0-9-]{0,19}$/,
    'must begin with a letter and hold lowercase letters, digits and hyphens, at most 20',
  )

/** The settings of a server without its credentials. */
export interface ServerSettings {
  /** The prefix of the names of its tools. */
  readonly name: string
  /** Stored without its query, which may hold a credential. */
  readonly url: string
  /** The offered tools; null for all. */
  readonly allowedTools: readonly string[] | null
  readonly requiresConfirmation: boolean
  readonly timeoutMs: number
}

/** A remote MCP server whose tools an agent may use. */
export interface ToolServer extends ServerSettings {
  readonly id: string
  readonly agentId: string
  readonly workspaceId: string
  readonly headerNames: readonly string[]
  readonly tools: readonly RemoteTool[]
  /** When its tools were last requested, in epoch milliseconds. */
  readonly listedAt: number
  /** Why that request failed; the tools are older. */
  readonly error: string | null
  readonly createdAt: number
  readonly updatedAt: number
}

export function toolServerFromRow(stored: ToolServerRow): ToolServer {
  const { headers_sealed: _sealed, ...row } = stored
  return {
    ...camelKeys(row),
    // Only this feature writes them, from such lists.
    headerNames: JSON.parse(row.header_names_json) as string[],
    allowedTools:
      row.allowed_tools_json === null ? null : (JSON.parse(row.allowed_tools_json) as string[]),
    requiresConfirmation: row.requires_confirmation === 1,
    tools: JSON.parse(row.tools_json) as RemoteTool[],
    error: row.error_code,
  }
}

/** A server without credentials whose tools were never listed. */
export function newToolServerRow(
  { agentId, workspaceId, now }: { agentId: string; workspaceId: string; now: number },
  server: ServerSettings & { readonly headerNames: readonly string[] },
): ToolServerRow {
  return {
    id: newId(now),
    agent_id: agentId,
    workspace_id: workspaceId,
    name: server.name,
    url: server.url,
    headers_sealed: null,
    header_names_json: JSON.stringify(server.headerNames),
    allowed_tools_json: server.allowedTools === null ? null : JSON.stringify(server.allowedTools),
    requires_confirmation: server.requiresConfirmation ? 1 : 0,
    timeout_ms: server.timeoutMs,
    tools_json: '[]',
    listed_at: 0,
    error_code: null,
    created_at: now,
    updated_at: now,
  }
}

/** The secrets of a server before they are sealed. */
export interface ServerSecrets {
  readonly headers: Readonly<Record<string, string>>
  /** `?key=…` of the address, or nothing. */
  readonly query: string
}

export function openSecrets(
  { vault }: Pick<Context, 'vault'>,
  row: Pick<ToolServerRow, 'headers_sealed'>,
): ServerSecrets {
  if (row.headers_sealed === null) return { headers: {}, query: '' }
  // Only this feature seals them, from the same type.
  return JSON.parse(vault.open(row.headers_sealed)) as ServerSecrets
}

/** True for an imported server: the names of its credentials are known, but not their values. */
export function lacksCredentials(
  ctx: Pick<Context, 'vault'>,
  row: Pick<ToolServerRow, 'headers_sealed' | 'header_names_json'>,
): boolean {
  const { headers, query } = openSecrets(ctx, row)
  const lacksHeaders = row.header_names_json !== '[]' && Object.keys(headers).length === 0
  const inQuery = [...new URLSearchParams(query).values()]
  return lacksHeaders || (inQuery.length > 0 && inQuery.every((value) => value === ''))
}

export function remoteServer(
  row: Pick<ToolServerRow, 'url' | 'timeout_ms'>,
  { headers, query }: ServerSecrets,
): RemoteServer {
  return { url: row.url + query, headers, timeoutMs: row.timeout_ms }
}

/** The texts that must be masked everywhere. */
export function secretTexts({ headers, query }: ServerSecrets): string[] {
  const inQuery = [...new URLSearchParams(query).values()]
  // `Bearer abc` is as secret as `abc`.
  const inHeaders = Object.values(headers).flatMap((value) => [
    value,
    value.split(' ').at(-1) ?? '',
  ])
  return [...inQuery, ...inHeaders].filter(({ length }) => length >= 4)
}
