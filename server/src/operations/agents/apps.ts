import { z } from 'zod'
import {
  agentOrders,
  agentPatch,
  agentSettings,
  createAgent,
  deleteAgent,
  discardDraft,
  folderName,
  getAgent,
  getDraftedAgent,
  listAgents,
  listAgentVersions,
  publishDraft,
  rollbackAgent,
  settingFields,
  updateAgent,
  updateDraft,
  withDraft,
  type Agent,
  type AgentVersion,
  type DraftedAgent,
} from '#features/agents/index.ts'
import { giveUpAddresses } from '#features/visitors/index.ts'
import { parseModelId } from '#kernel/model-id.ts'
import { snakeKeys } from '#kernel/key-case.ts'
import type { Context } from '#platform/context.ts'
import { agentsWithin } from '#kernel/reach.ts'
import { anAgent } from '#operations/acts-on.ts'
import { changesAgent, changesDraft, creates } from '#operations/audited.ts'
import {
  appId,
  defineOperation,
  hints,
  memberOf,
  listAnswer,
  listOf,
  paging,
  recordId,
  timestamp,
} from '#operations/operation.ts'

const version = z.int().min(1)
const note = z.string().max(500).describe('The reason, for the list of versions')
const expectedVersion = version.describe('Fails unless this is the current version')
const expectedDraft = z
  .string()
  .max(100)
  .nullable()
  .describe('Fails unless this is the revision of the draft; null for no draft')

const person = z.strictObject({ id: recordId, name: z.string(), email: z.string() })

const draft = z.strictObject({
  revision: z.string(),
  changes: z.record(z.string(), z.unknown()).describe('The settings that differ, by name'),
  author: person.describe('Who changed it last'),
  updated_at: timestamp,
})

const app = z.strictObject({
  id: recordId,
  app_name_id: z.string(),
  workspace_id: recordId,
  folder: z.string(),
  ...agentSettings.shape,
  model_valid: z.boolean().describe('False: its turns fail until it gets another model'),
  version,
  created_at: timestamp,
  updated_at: timestamp,
  draft: draft.optional().describe('Changes that are not published'),
})

const appVersion = z.strictObject({
  version,
  current: z.boolean().describe('True for the version that the agent answers with'),
  name: z.string(),
  model: z.string(),
  note: z.string().nullable(),
  author: person,
  created_at: timestamp,
})

function show({ config }: Pick<Context, 'config'>, { settings, ...agent }: Agent) {
  return {
    ...snakeKeys(agent),
    ...settings,
    model_valid: parseModelId(config, settings.model) !== null,
    fallback_models: [...settings.fallback_models],
    suggestions: [...settings.suggestions],
    allow_request_overrides: [...settings.allow_request_overrides],
  }
}

function showDrafted(ctx: Pick<Context, 'config'>, { draft: found, ...agent }: DraftedAgent) {
  return { ...show(ctx, agent), ...(found === null ? {} : { draft: snakeKeys(found) }) }
}

function showVersion({ settings: { name, model }, ...found }: AgentVersion) {
  return { ...snakeKeys(found), name, model }
}

const reading = { toolset: 'apps', scope: 'apps:read', hints: hints.read } as const
const changing = { toolset: 'apps', scope: 'apps:write' } as const

const createApp = defineOperation({
  name: 'create_app',
  title: 'Create agent',
  description: 'Creates an agent. Chat clients call it by its app_name_id.',
  ...changing,
  hints: hints.create,
  audit: creates('agents'),
  input: agentPatch.extend({ name: settingFields.name }),
  output: app,
  run: async (ctx, call, input) => show(ctx, await createAgent(ctx, memberOf(call), input)),
})

const getApp = defineOperation({
  name: 'get_app',
  title: 'Get agent',
  description:
    'Shows an agent with all its settings and its draft, or its settings in an earlier version.',
  ...reading,
  input: z.object({ app_id: appId, version: version.optional() }),
  output: app,
  actsOn: anAgent,
  run: async (ctx, { workspaceId }, { app_id, version: wanted }) =>
    wanted === undefined
      ? showDrafted(ctx, await getDraftedAgent(ctx, workspaceId, app_id))
      : show(ctx, await getAgent(ctx, workspaceId, app_id, wanted)),
})

const listApps = defineOperation({
  name: 'list_apps',
  title: 'List agents',
  description: 'Lists the agents of a workspace, newest first.',
  ...reading,
  reach: 'part',
  input: z.object({
    query: z.string().trim().min(1).max(200).optional().describe('Part of a name or app_name_id'),
    sort: z.enum(agentOrders).default('newest'),
    folder: folderName.optional().describe('Empty: those in no folder'),
    ...paging,
  }),
  output: listOf(app),
  run: async (ctx, { actor, workspaceId }, { query, sort, folder, ...page }) => {
    const listing = { among: agentsWithin(actor.reach, workspaceId), query, sort, folder }
    const found = await listAgents(ctx, workspaceId, page, listing)
    return listAnswer(found, (agent) => show(ctx, agent))
  },
})

const updateApp = defineOperation({
  name: 'update_app',
  title: 'Update agent',
  description:
    'Changes the given fields, which creates a new version; with publish false only the draft.',
  ...changing,
  hints: { ...hints.update, idempotent: false },
  audit: {
    ...changesAgent,
    record: (change) => (change.input.publish ? changesAgent : changesDraft).record(change),
  },
  input: agentPatch.extend({
    app_id: appId,
    publish: z
      .boolean()
      .default(true)
      .describe('False: callers get the change with publish_app_draft, test chats at once'),
    expected_version: expectedVersion.optional(),
    expected_draft: expectedDraft.optional(),
    note: note.optional(),
  }),
  output: app,
  actsOn: anAgent,
  run: async (ctx, call, { app_id, publish, expected_draft, note, ...input }) => {
    const { expected_version: expectedVersion, ...patch } = input
    const options = { expectedVersion, expectedDraft: expected_draft, note }
    const changed = publish
      ? await withDraft(ctx, await updateAgent(ctx, memberOf(call), app_id, patch, options))
      : await updateDraft(ctx, memberOf(call), app_id, patch, options)
    return showDrafted(ctx, changed)
  },
})

const publishAppDraft = defineOperation({
  name: 'publish_app_draft',
  title: 'Publish agent draft',
  description: 'Makes the draft of an agent its new version, which answers callers.',
  ...changing,
  hints: { ...hints.update, idempotent: false },
  audit: changesAgent,
  input: z.object({
    app_id: appId,
    expected_version: expectedVersion.optional(),
    expected_draft: expectedDraft.optional(),
    note: note.optional(),
  }),
  output: app,
  actsOn: anAgent,
  run: async (ctx, call, { app_id, expected_version, expected_draft, note }) => {
    const options = { expectedVersion: expected_version, expectedDraft: expected_draft, note }
    return show(ctx, await publishDraft(ctx, memberOf(call), app_id, options))
  },
})

const discardAppDraft = defineOperation({
  name: 'discard_app_draft',
  title: 'Discard agent draft',
  description: 'Deletes the draft of an agent: all changes that are not published.',
  ...changing,
  hints: hints.remove,
  audit: changesDraft,
  input: z.object({ app_id: appId, expected_draft: expectedDraft.optional() }),
  output: app,
  actsOn: anAgent,
  run: async (ctx, { workspaceId }, { app_id, expected_draft: expectedDraft }) =>
    show(ctx, await discardDraft(ctx, workspaceId, app_id, { expectedDraft })),
})

const deleteApp = defineOperation({
  name: 'delete_app',
  title: 'Delete agent',
  description: 'Deletes an agent. It stops answering at once, and its keys stop working.',
  ...changing,
  needsConfirmation: true,
  hints: hints.remove,
  audit: changesAgent,
  input: z.object({ app_id: appId }),
  output: app.extend({ deleted_at: timestamp }),
  actsOn: anAgent,
  run: async (ctx, { workspaceId }, input) => {
    const { deletedAt, ...agent } = await deleteAgent(
      ctx,
      workspaceId,
      input.app_id,
      (tx, { id: agentId }) => giveUpAddresses(tx, ctx, { workspaceId, agentId }),
    )
    return { ...show(ctx, agent), deleted_at: deletedAt }
  },
})

const listAppVersions = defineOperation({
  name: 'list_app_versions',
  title: 'List agent versions',
  description: 'Lists all versions of an agent, newest first. get_app shows one in full.',
  ...reading,
  input: z.object({ app_id: appId, ...paging }),
  output: listOf(appVersion),
  actsOn: anAgent,
  run: async (ctx, { workspaceId }, input) =>
    listAnswer(await listAgentVersions(ctx, workspaceId, input.app_id, input), showVersion),
})

const rollbackApp = defineOperation({
  name: 'rollback_app',
  title: 'Roll back agent',
  description: 'Creates a new version with the settings of an earlier one. No version is lost.',
  ...changing,
  hints: { ...hints.update, idempotent: false },
  audit: changesAgent,
  input: z.object({
    app_id: appId,
    version: version.describe('The version to go back to'),
    expected_version: expectedVersion.optional(),
    note: note.optional(),
  }),
  output: app,
  actsOn: anAgent,
  run: async (ctx, call, { app_id, version, expected_version, note }) => {
    const options = { expectedVersion: expected_version, note }
    return show(ctx, await rollbackAgent(ctx, memberOf(call), app_id, version, options))
  },
})

export const appOperations = [
  createApp,
  getApp,
  listApps,
  updateApp,
  publishAppDraft,
  discardAppDraft,
  deleteApp,
  listAppVersions,
  rollbackApp,
]
