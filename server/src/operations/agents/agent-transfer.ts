import { z } from 'zod'
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
import { commonFaults, Fault } from '#kernel/fault.ts'
import { covers, type NamedScope } from '#kernel/scope.ts'
import { anAgent } from '#operations/acts-on.ts'
import { creates, itsCreatedId, type Audit } from '#operations/audited.ts'
import { enterAgent } from '#operations/agents/enter-agent.ts'
import {
  appId,
  defineOperation,
  hints,
  memberOf,
  recordId,
  type Call,
} from '#operations/operation.ts'
import { showAs } from '#operations/show-as.ts'

const document = z.record(z.string(), z.unknown())

const added = z.strictObject({
  id: recordId,
  app_name_id: z.string(),
  workspace_id: recordId,
  name: z.string(),
  needs: z
    .array(
      z.strictObject({
        kind: z.enum(['variable', 'mcp_server', 'model', 'knowledge_source']),
        name: z.string(),
        message: z.string(),
      }),
    )
    .describe('What to set up before it works like the original'),
})

const needMessages = {
  variable: 'Its value was not copied: set it with set_app_variable.',
  mcp_server:
    'Its credentials were not copied: add it again with add_mcp_server, under the same name.',
  model:
    'Its provider is not known here: set it up with set_provider, then set the agent to this model.',
} as const

function messageOf(need: Need): string {
  if (need.kind !== 'knowledge_source') return needMessages[need.kind]
  const { kind, crawl_depth, max_pages } = need.step
  return `It answers from your website: let it read it with add_knowledge_source, with kind ${kind}, crawl_depth ${crawl_depth} and max_pages ${max_pages}.`
}

const named = showAs(added)

function show({ agent, needs: all }: AddedAgent) {
  const needs = all.map((need) => ({
    kind: need.kind,
    name: need.name,
    message: messageOf(need),
  }))
  return named({ ...agent, name: agent.settings.name, needs })
}

/** The agent is created in the first unit. Its knowledge follows in others but is the same change. */
const createsAgent: Audit<unknown> = {
  ...creates(
    'agents',
    z.object({ agent: itsCreatedId }).transform(({ agent }) => agent),
  ),
  writtenBy: 'first unit',
}

/** A credential without a scope must not gain it by copying an agent. */
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
    'Exports an agent as one JSON document for import_app: settings, actions, shop and, on request, knowledge. Secrets are left out.',
  toolset: 'apps',
  scope: 'apps:read',
  hints: hints.read,
  quotesOthers: true,
  input: z.object({
    app_id: appId,
    include_knowledge: z.boolean().default(false).describe('Includes texts and files; may be long'),
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
    'Creates an agent from a document, all of it or nothing. Background jobs then read its knowledge.',
  toolset: 'apps',
  scope: 'apps:write',
  hints: { ...hints.create, openWorld: true },
  audit: createsAgent,
  longInput: true,
  input: z.object({ document: document.describe('As export_app returned it') }),
  output: added,
  run: async (ctx, call, input) => {
    const bundle = await readAgentDocument(ctx, input.document)
    const hasKnowledge = (bundle.knowledge?.sources.length ?? 0) > 0
    requireScopes(call, bundle, 'write', { knowledge: hasKnowledge })
    return show(await addAgentBundle(ctx, memberOf(call), bundle, 'Imported'))
  },
})

const duplicateApp = defineOperation({
  name: 'duplicate_app',
  title: 'Duplicate agent',
  description:
    'Copies an agent with its knowledge, to its own workspace or another of yours. Secrets are not copied to another workspace.',
  toolset: 'apps',
  scope: 'apps:write',
  hints: { ...hints.create, openWorld: true },
  // It creates another agent.
  reach: 'workspace',
  audit: { ...createsAgent, notes: ['app_id', 'name'] },
  input: z.object({
    app_id: appId,
    name: z.string().trim().min(1).max(200).optional().describe('Name of the copy'),
  }),
  output: added,
  actsOn: anAgent,
  run: async (ctx, call, { app_id, name }) => {
    // `workspace_id` names the workspace of the copy. Any member may read the original.
    const from = await enterAgent(ctx, call.actor, app_id, 'viewer')
    const original = await readAgentBundle(ctx, from, app_id, { withKnowledge: true })
    const hasKnowledge = (original.knowledge?.sources.length ?? 0) > 0
    requireScopes(call, original, 'read', { knowledge: hasKnowledge })
    requireScopes(call, original, 'write', { knowledge: hasKnowledge })
    const bundle = from === call.workspaceId ? original : withoutItsSecrets(original)
    const settings = { ...bundle.settings, name: name ?? copyName(bundle.settings.name) }
    const { name: _, ...draft } = bundle.draft
    const note = `Copied from ${bundle.settings.name}`
    return show(await addAgentBundle(ctx, memberOf(call), { ...bundle, settings, draft }, note))
  },
})

function copyName(name: string): string {
  const ending = ' (copy)'
  return name.slice(0, 200 - ending.length) + ending
}

export const agentTransferOperations = [duplicateApp, exportApp, importApp]
