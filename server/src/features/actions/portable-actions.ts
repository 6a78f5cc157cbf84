import {
  addPortableVariables,
  readPortableVariables,
  type PortableVariable,
} from '#features/variables/index.ts'
import { newId } from '#kernel/ids.ts'
import type { Context } from '#platform/context.ts'
import type { Reader, Tx } from '#platform/db/database.ts'
import type { ActionDefinition } from './action-definition.ts'
import { actionFromRow } from './action.ts'
import { addAction, prepareAction } from './create-action.ts'
import { listActionRows } from './store.ts'
import { openSecrets, toolServerFromRow, type ServerSecrets } from './tool-server.ts'
import { insertToolServer, listToolServerRows } from './tool-server-store.ts'

/** What an agent can do, as another agent can be given it. */
export interface PortableActions {
  readonly actions: readonly ActionDefinition[]
  readonly variables: readonly PortableVariable[]
  readonly servers: readonly PortableServer[]
}

export interface PortableServer {
  readonly name: string
  /** Without its query, which may hold a credential. */
  readonly url: string
  readonly headerNames: readonly string[]
  readonly queryNames: readonly string[]
  readonly allowedTools: readonly string[] | null
  readonly requiresConfirmation: boolean
  readonly timeoutMs: number
  /** Headers and query, sealed; null when they are to be set anew. */
  readonly sealed: string | null
}

/** More than an agent can have of anything here. */
const all = { limit: 1000, before: undefined }

/** The agent must have been found in the workspace first. All in the order in which they were made. */
export async function readPortableActions(
  ctx: Pick<Context, 'vault'>,
  reader: Reader,
  agentId: string,
): Promise<PortableActions> {
  const actions = (await listActionRows(reader, agentId, all)).toReversed()
  const servers = await listToolServerRows(reader, agentId)
  return {
    actions: actions.map((row) => actionFromRow(row).definition),
    variables: await readPortableVariables(reader, agentId),
    servers: servers.map((row) => {
      const { name, url, headerNames, allowedTools, requiresConfirmation, timeoutMs } =
        toolServerFromRow(row)
      const queryNames = [...new URLSearchParams(openSecrets(ctx, row).query).keys()]
      const shown = { name, url, headerNames, queryNames, allowedTools }
      return { ...shown, requiresConfirmation, timeoutMs, sealed: row.headers_sealed }
    }),
  }
}

/** The same without its secrets, as it may leave its workspace. */
export function withoutSecrets(portable: PortableActions): PortableActions {
  return {
    actions: portable.actions,
    variables: portable.variables.map((variable) => ({ ...variable, sealed: null })),
    servers: portable.servers.map((server) => ({ ...server, sealed: null })),
  }
}

/** What a new agent is about to be given: checked and sealed, because a unit may run twice. */
export interface PreparedActions {
  readonly actions: readonly ReturnType<typeof prepareAction>[]
  readonly variables: readonly PortableVariable[]
  readonly servers: readonly (PortableServer & { readonly kept: string | null })[]
}

/** @throws Fault action_invalid of the first action that is not valid */
export function prepareActions(
  ctx: Pick<Context, 'vault'>,
  { actions, variables, servers }: PortableActions,
): PreparedActions {
  return {
    actions: actions.map((definition) => prepareAction(ctx, definition)),
    variables,
    servers: servers.map((server) => ({ ...server, kept: server.sealed ?? namesOf(ctx, server) })),
  }
}

/** Values are gone; the names of the query stay, so that they are not forgotten on the next way. */
function namesOf({ vault }: Pick<Context, 'vault'>, { queryNames }: PortableServer) {
  if (queryNames.length === 0) return null
  const query = `?${new URLSearchParams(queryNames.map((name) => [name, '']))}`
  const secrets: ServerSecrets = { headers: {}, query }
  return vault.seal(JSON.stringify(secrets))
}

/** A step: gives all of it to an agent that has nothing of the kind yet. */
export async function addPreparedActions(
  tx: Tx,
  ctx: Pick<Context, 'clock'>,
  place: { readonly agentId: string; readonly workspaceId: string },
  prepared: PreparedActions,
): Promise<void> {
  const now = ctx.clock.now()
  const row = { agent_id: place.agentId, workspace_id: place.workspaceId, updated_at: now }
  await addPortableVariables(tx, { ...place, now }, prepared.variables)
  for (const action of prepared.actions) await addAction(tx, ctx, place, action)
  for (const server of prepared.servers)
    await insertToolServer(tx, {
      ...row,
      id: newId(now),
      name: server.name,
      url: server.url,
      headers_sealed: server.kept,
      header_names_json: JSON.stringify(server.headerNames),
      allowed_tools_json: server.allowedTools === null ? null : JSON.stringify(server.allowedTools),
      requires_confirmation: server.requiresConfirmation ? 1 : 0,
      timeout_ms: server.timeoutMs,
      // The next turn asks it for its tools: here nothing is sent before somebody talks to it.
      tools_json: '[]',
      listed_at: 0,
      error_code: null,
      created_at: now,
    })
}
