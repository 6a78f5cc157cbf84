import { z } from 'zod'
import { agentWorkspace } from '#features/agents/index.ts'
import {
  addAgentBundle,
  hasTools,
  readAgentBundle,
  readAgentDocument,
  withoutItsSecrets,
  writeAgentDocument,
  type AddedAgent,
  type AgentBundle,
  type Need,
} from '#features/agent-transfer/index.ts'
import { roleIn } from '#features/workspaces/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { covers, type NamedScope } from '#kernel/scope.ts'
import type { Context } from '#platform/context.ts'
import { anAgent } from './acts-on.ts'
import { creates, itsCreatedId, type Audit } from './audited.ts'
import { appId, defineOperation, hints, memberOf, recordId, type Call } from './operation.ts'

/** Agents travel: as one JSON document between instances, or as a copy from workspace to workspace. */

const document = z.record(z.string(), z.unknown())

const added = z.strictObject({
  id: recordId,
  app_name_id: z.string(),
  workspace_id: recordId,
  name: z.string(),
  needs: z
    .array(
      z.strictObject({
        kind: z.enum(['variable', 'mcp_server', 'model']),
        name: z.string(),
        message: z.string(),
      }),
    )
    .describe('What to set before it works as the original does'),
})

const needMessages: Record<Need['kind'], string> = {
  variable: 'Its value stayed behind: set it with set_app_variable.',
  mcp_server: 'Its credentials stayed behind: add it again, by the same name, with add_mcp_server.',
  model:
    'Its provider is not known here: set it with set_provider, then give the agent this model.',
}

function show({ agent, needs }: AddedAgent) {
  return {
    id: agent.id,
    app_name_id: agent.appNameId,
    workspace_id: agent.workspaceId,
    name: agent.settings.name,
    needs: needs.map(({ kind, name }) => ({ kind, name, message: needMessages[kind] })),
  }
}

/** The agent is created in the first unit; its knowledge follows in others and is the same change. */
const createsAgent: Audit<unknown> = {
  ...creates(
    'agents',
    z.object({ agent: itsCreatedId }).transform(({ agent }) => agent),
  ),
  writtenBy: 'first unit',
}

/** No operation lends a scope: what a credential may not see or make alone, it may not here. */
function requireScopes(
  { actor }: Call,
  bundle: AgentBundle,
  right: 'read' | 'write',
  { knowledge } = { knowledge: bundle.knowledge !== null },
): void {
  const needed: NamedScope[] = [
    ...(hasTools(bundle) ? [`actions:${right}` as const] : []),
    ...(knowledge ? [`knowledge:${right}` as const] : []),
  ]
  for (const scope of needed)
    if (!covers(actor.scopes, scope)) throw new Fault(commonFaults.scope_missing, { scope })
}

const exportApp = defineOperation({
  name: 'export_app',
  title: 'Export agent',
  description:
    'Gives an agent as one JSON document for import_app: settings, actions, shop, knowledge if asked. Secrets stay behind.',
  toolset: 'apps',
  scope: 'apps:read',
  hints: hints.read,
  quotesOthers: true,
  input: z.object({
    app_id: appId,
    include_knowledge: z.boolean().default(false).describe('Texts and files too; may be long'),
  }),
  output: z.strictObject({ document }),
  actsOn: anAgent,
  run: async (ctx, call, { app_id, include_knowledge: withKnowledge }) => {
    const bundle = await readAgentBundle(ctx, call.workspaceId, app_id, { withKnowledge })
    requireScopes(call, bundle, 'read')
    return { document: await writeAgentDocument(ctx, bundle) }
  },
})

const importApp = defineOperation({
  name: 'import_app',
  title: 'Import agent',
  description:
    'Makes a new agent of a document, all of it or nothing. Its knowledge is read by jobs afterwards.',
  toolset: 'apps',
  scope: 'apps:write',
  hints: { ...hints.create, openWorld: true },
  audit: createsAgent,
  input: z.object({ document: document.describe('As export_app gave it') }),
  output: added,
  run: async (ctx, call, input) => {
    const bundle = readAgentDocument(ctx, input.document)
    const hasKnowledge = (bundle.knowledge?.sources.length ?? 0) > 0
    requireScopes(call, bundle, 'write', { knowledge: hasKnowledge })
    return show(await addAgentBundle(ctx, memberOf(call), bundle, 'Imported'))
  },
})

const duplicateApp = defineOperation({
  name: 'duplicate_app',
  title: 'Duplicate agent',
  description:
    'Makes a copy of an agent with its knowledge, in its workspace or another of yours, where secrets do not follow.',
  toolset: 'apps',
  scope: 'apps:write',
  hints: { ...hints.create, openWorld: true },
  audit: { ...createsAgent, notes: ['app_id', 'name'] },
  input: z.object({
    app_id: appId,
    name: z.string().trim().min(1).max(200).optional().describe('Of the copy'),
  }),
  output: added,
  actsOn: anAgent,
  run: async (ctx, call, { app_id, name }) => {
    const from = await sourceWorkspace(ctx, call, app_id)
    const original = await readAgentBundle(ctx, from, app_id, { withKnowledge: true })
    const hasKnowledge = (original.knowledge?.sources.length ?? 0) > 0
    requireScopes(call, original, 'read', { knowledge: hasKnowledge })
    requireScopes(call, original, 'write', { knowledge: hasKnowledge })
    const bundle = from === call.workspaceId ? original : withoutItsSecrets(original)
    const settings = { ...bundle.settings, name: name ?? copyName(bundle.settings.name) }
    const note = `Copied from ${bundle.settings.name}`
    return show(await addAgentBundle(ctx, memberOf(call), { ...bundle, settings }, note))
  },
})

/**
 * Where the original is: `workspace_id` says where the copy goes. Whoever is a member there may see
 * all of it, so that is what it takes.
 *
 * @throws Fault record_not_found
 */
async function sourceWorkspace(ctx: Context, { actor }: Call, app: string): Promise<string> {
  const workspaceId = await agentWorkspace(ctx, app)
  const role =
    workspaceId === undefined ? null : await roleIn(ctx.db.read, actor.userId, workspaceId)
  if (workspaceId === undefined || role === null) throw new Fault(commonFaults.record_not_found)
  return workspaceId
}

function copyName(name: string): string {
  const ending = ' (copy)'
  return name.slice(0, 200 - ending.length) + ending
}

export const agentTransferOperations = [duplicateApp, exportApp, importApp]
