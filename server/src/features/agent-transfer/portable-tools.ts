import {
  addAction,
  hostsByVariable,
  prepareAction,
  readPortableActions,
  type ActionDefinition,
} from '#features/actions/index.ts'
import {
  addPreparedToolServers,
  prepareToolServer,
  readPortableToolServers,
  type PortableToolServer,
} from '#features/tool-servers/index.ts'
import {
  parseHost,
  storeVariables,
  readPortableVariables,
  type PortableVariable,
} from '#features/variables/index.ts'
import type { Context } from '#platform/context.ts'
import type { Reader, Tx } from '#platform/db/database.ts'

/** An agent's tools in a form that another agent can receive. */
export interface PortableTools {
  readonly actions: readonly ActionDefinition[]
  readonly variables: readonly PortableVariable[]
  readonly servers: readonly PortableToolServer[]
}

/** The agent must have been found in the workspace first. */
export async function readPortableTools(
  ctx: Pick<Context, 'vault'>,
  reader: Reader,
  agentId: string,
): Promise<PortableTools> {
  return {
    actions: await readPortableActions(reader, agentId),
    variables: await readPortableVariables(reader, agentId),
    servers: await readPortableToolServers(ctx, reader, agentId),
  }
}

/**
 * Checks and seals tools before the unit that adds them, because a unit may run twice.
 *
 * @throws Fault action_invalid for the first invalid action
 */
export function prepareTools(
  ctx: Pick<Context, 'vault'>,
  { actions, variables, servers }: PortableTools,
) {
  return {
    actions: actions.map((definition) => prepareAction(ctx, definition)),
    variables: withHosts(variables, actions),
    servers: servers.map((server) => prepareToolServer(ctx, server)),
  }
}

/**
 * A secret of a document gets the hosts that the document names or, without any, those of the actions
 * that use it. `anyHost` is not taken over: an owner chooses it here.
 */
function withHosts(
  variables: readonly PortableVariable[],
  actions: readonly ActionDefinition[],
): PortableVariable[] {
  const values = new Map(variables.map(({ name, value }) => [name, value?.toString()]))
  const used = hostsByVariable(actions, (name) => values.get(name))
  return variables.map((variable) => {
    // A stored secret is copied within its workspace, with its hosts.
    if (variable.kind !== 'secret' || variable.sealed !== null) return variable
    const named = (variable.hosts ?? []).flatMap((host) => parseHost(host) ?? [])
    const hosts = named.length > 0 ? named : [...(used.get(variable.name)?.hosts ?? [])]
    return { ...variable, hosts }
  })
}

/** A step: adds them to an agent that has no tools yet. */
export async function addPreparedTools(
  tx: Tx,
  ctx: Pick<Context, 'clock'>,
  place: { readonly agentId: string; readonly workspaceId: string },
  { actions, variables, servers }: ReturnType<typeof prepareTools>,
): Promise<void> {
  const dated = { ...place, now: ctx.clock.now() }
  await storeVariables(tx, dated, variables)
  for (const action of actions) await addAction(tx, ctx, place, action)
  await addPreparedToolServers(tx, dated, servers)
}
