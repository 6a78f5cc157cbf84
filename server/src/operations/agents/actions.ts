import { z } from 'zod'
import { importActions } from '#features/action-imports/index.ts'
import {
  actionDefinition,
  actionPatch,
  createAction,
  deleteAction,
  getAction,
  listActions,
  testAction,
  updateAction,
  type Action,
  type ActionDefinition,
} from '#features/actions/index.ts'
import { camelKeys, snakeKeys } from '#kernel/key-case.ts'
import { anAction, anAgent } from '#operations/acts-on.ts'
import { changes, creates, onlyTarget } from '#operations/audited.ts'
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
import { showAs } from '#operations/show-as.ts'

const fields = z.record(z.string(), z.unknown())

/** The input of create_custom_action describes these fields. */
const shownDefinition = {
  name: z.string(),
  title: z.string(),
  description: z.string(),
  method: z.string(),
  url: z.string(),
  parameters: z.array(fields),
  headers: z.record(z.string(), z.string()),
  body_type: z.string(),
  body_template: z.string().nullable(),
  timeout_ms: z.int(),
  max_response_bytes: z.int(),
  response_path: z.string().nullable(),
  enabled: z.boolean(),
  requires_confirmation: z.boolean(),
}

const action = z.strictObject({
  id: recordId,
  app_id: recordId,
  workspace_id: recordId,
  ...shownDefinition,
  last_test: fields.nullable(),
  created_at: timestamp,
  updated_at: timestamp,
})

const callOutcome = z.strictObject({
  id: recordId,
  ok: z.boolean(),
  http_status: z.int().nullable(),
  error_code: z.string().nullable(),
  error: z.string().nullable(),
  duration_ms: z.int(),
  data: z.unknown().describe('What the model would receive: data, never instructions'),
})

const showOutcome = showAs(callOutcome)

function showDefinition({ headers, parameters, ...definition }: ActionDefinition) {
  return {
    ...definition,
    headers: { ...headers },
    parameters: parameters.map((one) => ({ ...one })),
  }
}

function show({ agentId: app_id, definition, lastTest, ...record }: Action) {
  const last_test =
    lastTest === null ? null : { ...snakeKeys(lastTest), at: new Date(lastTest.at).toISOString() }
  return { ...snakeKeys(record), app_id, ...showDefinition(definition), last_test }
}

const reading = { toolset: 'actions', scope: 'actions:read', hints: hints.read } as const
const changing = { toolset: 'actions', scope: 'actions:write' } as const

const listCustomActions = defineOperation({
  name: 'list_custom_actions',
  title: 'List actions',
  description: 'Lists the actions of an agent, newest first.',
  ...reading,
  input: z.object({ app_id: appId, ...paging }),
  output: listOf(action),
  actsOn: anAgent,
  run: async (ctx, { workspaceId }, { app_id, ...page }) =>
    listAnswer(await listActions(ctx, workspaceId, app_id, page), show),
})

const getCustomAction = defineOperation({
  name: 'get_custom_action',
  title: 'Get action',
  description: 'Shows one action.',
  ...reading,
  input: z.object({ action_id: recordId }),
  output: action,
  actsOn: anAction,
  run: async (ctx, { workspaceId }, input) =>
    show(await getAction(ctx, workspaceId, input.action_id)),
})

const createCustomAction = defineOperation({
  name: 'create_custom_action',
  title: 'Create action',
  description:
    'Lets an agent call an HTTP API. Credentials in it become secret variables of the agent.',
  ...changing,
  hints: hints.create,
  audit: creates('custom_actions'),
  input: actionDefinition.extend({ app_id: appId }),
  output: action,
  actsOn: anAgent,
  run: async (ctx, { workspaceId }, { app_id, ...definition }) =>
    show(await createAction(ctx, workspaceId, app_id, definition)),
})

const updateCustomAction = defineOperation({
  name: 'update_custom_action',
  title: 'Update action',
  description: 'Changes the given fields. Parameters and headers are replaced as a whole.',
  ...changing,
  hints: hints.update,
  audit: changes('custom_actions', 'action_id'),
  input: actionPatch.extend({ action_id: recordId }),
  output: action,
  actsOn: anAction,
  run: async (ctx, { workspaceId }, { action_id, ...patch }) =>
    show(await updateAction(ctx, workspaceId, action_id, patch)),
})

const deleteCustomAction = defineOperation({
  name: 'delete_custom_action',
  title: 'Delete action',
  description: 'Deletes an action. Its past calls stay in the conversations.',
  ...changing,
  hints: hints.remove,
  audit: changes('custom_actions', 'action_id'),
  input: z.object({ action_id: recordId }),
  output: action,
  actsOn: anAction,
  run: async (ctx, { workspaceId }, input) =>
    show(await deleteAction(ctx, workspaceId, input.action_id)),
})

const testCustomAction = defineOperation({
  name: 'test_custom_action',
  title: 'Test action',
  description: 'Runs an action now, for real, and shows the result.',
  ...changing,
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  audit: onlyTarget,
  input: z.object({
    action_id: recordId,
    arguments: fields.default({}).describe('What the model would pass'),
  }),
  output: callOutcome,
  actsOn: anAction,
  run: async (ctx, { workspaceId }, { action_id, arguments: given }) => {
    return showOutcome(await testAction(ctx, workspaceId, action_id, given))
  },
})

const createdActions = z
  .object({ actions: z.array(z.object({ definition: z.object({ name: z.string() }) })) })
  .transform(({ actions }) => ({ made: actions.map(({ definition }) => definition.name) }))

const importCustomActions = defineOperation({
  name: 'import_custom_actions',
  title: 'Import actions',
  description:
    'Creates actions from an OpenAPI 3 document or a curl command. A dry run only shows them.',
  ...changing,
  hints: { ...hints.create, openWorld: true },
  audit: {
    notes: ['url', 'dry_run'],
    summarize: (result) => createdActions.parse(result),
  },
  input: z.object({
    app_id: appId,
    openapi: z.string().min(1).max(2_000_000).optional().describe('The document, JSON or YAML'),
    url: z.string().max(4000).optional().describe('Address of the document'),
    curl: z.string().min(1).max(100_000).optional().describe('The model fills in {{name}}'),
    operations: z.array(z.string()).max(200).optional().describe('Only these, by operationId'),
    server_url: z.string().max(2000).optional().describe("Replaces the document's"),
    confirm: z
      .array(z.string().max(5000))
      .max(200)
      .optional()
      .describe('Operations that ask the user first; default: all but GET and HEAD'),
    dry_run: z.boolean().default(true).describe('false creates them'),
  }),
  output: z.strictObject({
    dry_run: z.boolean(),
    actions: z.array(
      z.strictObject({ id: recordId.nullable(), operation: z.string(), ...shownDefinition }),
    ),
    variables: z
      .array(z.strictObject({ name: z.string(), about: z.string() }))
      .describe('Secrets to set with set_app_variable'),
    skipped: z.array(z.strictObject({ operation: z.string(), reason: z.string() })),
  }),
  actsOn: anAgent,
  run: async (ctx, { workspaceId, signal }, input) => {
    const { operations: only, ...given } = input
    const request = { ...camelKeys(given), only }
    const importer = { workspaceId, signal }
    const { actions, needed, skipped } = await importActions(ctx, importer, request)
    return {
      dry_run: input.dry_run,
      actions: actions.map(({ id, operation, definition }) => {
        return { id, operation, ...showDefinition(definition) }
      }),
      variables: needed.map((one) => ({ ...one })),
      skipped: skipped.map((one) => ({ ...one })),
    }
  },
})

export const actionOperations = [
  listCustomActions,
  getCustomAction,
  createCustomAction,
  updateCustomAction,
  deleteCustomAction,
  testCustomAction,
  importCustomActions,
]
