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
import { parseModelId } from '#kernel/model-id.ts'
import { snakeKeys } from '#kernel/key-case.ts'
import type { Context } from '#platform/context.ts'
import { agentsWithin } from '#kernel/reach.ts'
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
const note = z.string().max(500).describe('The reason, for the list of versions')
const expectedVersion = version.describe('Fails unless this is the current version')

const app = z.strictObject({
  id: recordId,
  app_name_id: z.string(),
  workspace_id: recordId,
  ...agentSettings.shape,
  model_valid: z.boolean().describe('False: its turns fail until it gets another model'),
  version,
  created_at: timestamp,
  updated_at: timestamp,
})

const appVersion = z.strictObject({
  version,
  current: z.boolean().describe('True for the version that the agent answers with'),
  name: z.string(),
  model: z.string(),
  note: z.string().nullable(),
  author: z.strictObject({ id: recordId, name: z.string(), email: z.string() }),
  created_at: timestamp,
})

function show({ config }: Pick<Context, 'config'>, { settings, ...agent }: Agent) {
  return {
    ...snakeKeys(agent),
    ...settings,
    model_valid: parseModelId(config, settings.model) !== null,
    suggestions: [...settings.suggestions],
    allow_request_overrides: [...settings.allow_request_overrides],
  }
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
  description: 'Shows an agent with all its settings, now or in an earlier version.',
  ...reading,
  input: z.object({ app_id: appId, version: version.optional() }),
  output: app,
  actsOn: anAgent,
  run: async (ctx, { workspaceId }, input) =>
    show(ctx, await getAgent(ctx, workspaceId, input.app_id, input.version)),
})

const listApps = defineOperation({
  name: 'list_apps',
  title: 'List agents',
  description: 'Lists the agents of a workspace, newest first.',
  ...reading,
  reach: 'part',
  input: z.object(paging),
  output: listOf(app),
  run: async (ctx, { actor, workspaceId }, input) => {
    const among = agentsWithin(actor.reach, workspaceId)
    return listAnswer(await listAgents(ctx, workspaceId, input, among), (agent) => show(ctx, agent))
  },
})

const updateApp = defineOperation({
  name: 'update_app',
  title: 'Update agent',
  description: 'Changes the given fields, which creates a new version.',
  ...changing,
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
    return show(ctx, await updateAgent(ctx, memberOf(call), app_id, patch, options))
  },
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
    const { deletedAt, ...agent } = await deleteAgent(ctx, workspaceId, input.app_id)
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
  deleteApp,
  listAppVersions,
  rollbackApp,
]
