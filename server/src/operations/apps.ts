import { z } from 'zod'
import {
  agentPatch,
  agentSettings,
  createAgent,
  deleteAgent,
  getAgent,
  listAgents,
  listAgentVersions,
  rollbackAgent,
  settingFields,
  updateAgent,
  type Agent,
  type AgentVersion,
} from '#features/agents/index.ts'
import { anAgent } from './acts-on.ts'
import { changesAgent, creates } from './audited.ts'
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
} from './operation.ts'

const version = z.int().min(1)
const note = z.string().max(500).describe('Why, for the list of versions')
const expectedVersion = version.describe('Refuse unless this is still the version')

const app = z.strictObject({
  id: recordId,
  app_name_id: z.string(),
  workspace_id: recordId,
  ...agentSettings.shape,
  version,
  created_at: timestamp,
  updated_at: timestamp,
})

const appVersion = z.strictObject({
  version,
  current: z.boolean().describe('True for the one the agent answers with'),
  name: z.string(),
  model: z.string(),
  note: z.string().nullable(),
  author: z.strictObject({ id: recordId, name: z.string(), email: z.string() }),
  created_at: timestamp,
})

function show({ id, appNameId, workspaceId, settings, ...agent }: Agent) {
  return {
    id,
    app_name_id: appNameId,
    workspace_id: workspaceId,
    ...settings,
    suggestions: [...settings.suggestions],
    version: agent.version,
    created_at: agent.createdAt,
    updated_at: agent.updatedAt,
  }
}

function showVersion({ version, current, settings, note, author, createdAt }: AgentVersion) {
  const { name, model } = settings
  return { version, current, name, model, note, author, created_at: createdAt }
}

const createApp = defineOperation({
  name: 'create_app',
  title: 'Create agent',
  description: 'Creates an agent; chat clients call it by its app_name_id.',
  toolset: 'apps',
  scope: 'apps:write',
  hints: hints.create,
  audit: creates('agents'),
  input: agentPatch.extend({ name: settingFields.name }),
  output: app,
  run: async (ctx, call, input) => show(await createAgent(ctx, memberOf(call), input)),
})

const getApp = defineOperation({
  name: 'get_app',
  title: 'Get agent',
  description: 'Shows an agent with all its settings, or as it was in an earlier version.',
  toolset: 'apps',
  scope: 'apps:read',
  hints: hints.read,
  input: z.object({ app_id: appId, version: version.optional() }),
  output: app,
  actsOn: anAgent,
  run: async (ctx, { workspaceId }, input) =>
    show(await getAgent(ctx, workspaceId, input.app_id, input.version)),
})

const listApps = defineOperation({
  name: 'list_apps',
  title: 'List agents',
  description: 'Lists the agents of a workspace, newest first.',
  toolset: 'apps',
  scope: 'apps:read',
  hints: hints.read,
  input: z.object(paging),
  output: listOf(app),
  run: async (ctx, { workspaceId }, input) =>
    listAnswer(await listAgents(ctx, workspaceId, input), show),
})

const updateApp = defineOperation({
  name: 'update_app',
  title: 'Update agent',
  description: 'Changes the fields that are given and makes a new version.',
  toolset: 'apps',
  scope: 'apps:write',
  hints: { ...hints.update, idempotent: false },
  audit: changesAgent,
  input: agentPatch.extend({
    app_id: appId,
    expected_version: expectedVersion.optional(),
    note: note.optional(),
  }),
  output: app,
  actsOn: anAgent,
  run: async (ctx, call, { app_id, expected_version, note, ...patch }) => {
    const options = { expectedVersion: expected_version, note }
    return show(await updateAgent(ctx, memberOf(call), app_id, patch, options))
  },
})

const deleteApp = defineOperation({
  name: 'delete_app',
  title: 'Delete agent',
  description: 'Deletes an agent: it stops answering at once, its keys with it.',
  toolset: 'apps',
  scope: 'apps:write',
  hints: hints.remove,
  audit: changesAgent,
  input: z.object({ app_id: appId }),
  output: app.extend({ deleted_at: timestamp }),
  actsOn: anAgent,
  run: async (ctx, { workspaceId }, input) => {
    const { deletedAt, ...agent } = await deleteAgent(ctx, workspaceId, input.app_id)
    return { ...show(agent), deleted_at: deletedAt }
  },
})

const listAppVersions = defineOperation({
  name: 'list_app_versions',
  title: 'List agent versions',
  description: 'Lists every version of an agent, newest first; get_app shows one in full.',
  toolset: 'apps',
  scope: 'apps:read',
  hints: hints.read,
  input: z.object({ app_id: appId, ...paging }),
  output: listOf(appVersion),
  actsOn: anAgent,
  run: async (ctx, { workspaceId }, input) =>
    listAnswer(await listAgentVersions(ctx, workspaceId, input.app_id, input), showVersion),
})

const rollbackApp = defineOperation({
  name: 'rollback_app',
  title: 'Roll back agent',
  description: 'Makes a new version with the settings of an earlier one; nothing is lost.',
  toolset: 'apps',
  scope: 'apps:write',
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
    return show(await rollbackAgent(ctx, memberOf(call), app_id, version, options))
  },
})

export const appOperations = [
  createApp,
  getApp,
  listApps,
  updateApp,
  deleteApp,
  listAppVersions,
  rollbackApp,
]
