import { z } from 'zod'
import {
  addToolServer,
  listToolServers,
  removeToolServer,
  toolServerName,
  type ToolServer,
} from '#features/tool-servers/index.ts'
import { camelKeys } from '#kernel/key-case.ts'
import { aToolServer, anAgent } from '#operations/acts-on.ts'
import { changes, creates } from '#operations/audited.ts'
import {
  appId,
  defineOperation,
  hints,
  listAnswer,
  listOf,
  paging,
  recordId,
  timestamp,
} from '#operations/operation.ts'
import { addressFor } from '#operations/show-address.ts'
import { showAs } from '#operations/show-as.ts'

const server = z.strictObject({
  id: recordId,
  app_id: recordId,
  workspace_id: recordId,
  name: z.string(),
  url: z.string(),
  header_names: z.array(z.string()),
  allowed_tools: z.array(z.string()).nullable(),
  requires_confirmation: z.boolean(),
  timeout_ms: z.int(),
  tools: z.array(z.strictObject({ name: z.string(), description: z.string() })),
  listed_at: timestamp,
  error: z.string().nullable().describe('Why its tools could not be listed last time'),
  created_at: timestamp,
})

const named = showAs(server)

function show({ tools, ...found }: ToolServer) {
  const described = tools.map(({ name, description }) => ({ name, description }))
  return named({ ...found, tools: described })
}

export const mcpServerOperations = [
  defineOperation({
    name: 'add_mcp_server',
    title: 'Add MCP server',
    description: 'Gives an agent the tools of a remote MCP server. Its tools are listed first.',
    toolset: 'actions',
    scope: 'actions:write',
    hints: { ...hints.create, openWorld: true },
    audit: creates('tool_servers'),
    input: z.object({
      app_id: appId,
      name: toolServerName.describe('Prefix of the names of its tools'),
      url: z.string().trim().min(1).max(2000),
      headers: z
        .record(z.string().max(200), z.string().max(8000))
        .default({})
        .describe('Stored encrypted, never shown'),
      allowed_tools: z.array(z.string().max(200)).max(200).nullable().default(null),
      requires_confirmation: z.boolean().default(false),
      timeout_ms: z.int().min(1).max(120_000).default(20_000),
    }),
    output: server,
    actsOn: anAgent,
    run: async (ctx, { workspaceId }, input) =>
      show(await addToolServer(ctx, workspaceId, camelKeys(input))),
  }),
  defineOperation({
    name: 'list_mcp_servers',
    title: 'List MCP servers',
    description: 'Lists the remote MCP servers of an agent with their tools.',
    toolset: 'actions',
    scope: 'actions:read',
    hints: hints.read,
    input: z.object({ app_id: appId, ...paging }),
    output: listOf(server),
    actsOn: anAgent,
    run: async (ctx, call, { app_id, ...page }) => {
      const address = addressFor(call, 'actions:write')
      const found = await listToolServers(ctx, call.workspaceId, app_id, page)
      return listAnswer(found, (one) => show({ ...one, url: address(one.url) }))
    },
  }),
  defineOperation({
    name: 'remove_mcp_server',
    title: 'Remove MCP server',
    description: 'Removes a remote MCP server and its tools from an agent.',
    toolset: 'actions',
    scope: 'actions:write',
    hints: hints.remove,
    audit: changes('tool_servers', 'server_id'),
    input: z.object({ server_id: recordId }),
    output: server,
    actsOn: aToolServer,
    run: async (ctx, { workspaceId }, input) =>
      show(await removeToolServer(ctx, workspaceId, input.server_id)),
  }),
]
