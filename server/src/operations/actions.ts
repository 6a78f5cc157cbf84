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
import { anAction, anAgent } from './acts-on.ts'
import { changes, creates, onlyTarget } from './audited.ts'
import {
  appId,
  defineOperation,
  hints,
  listAnswer,
  listOf,
  paging,
  recordId,
  timestamp,
} from './operation.ts'

const fields = z.record(z.string(), z.unknown())

/** As an answer shows it: what the fields mean stands in the input of create_custom_action. */
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
  data: z.unknown().describe('What the model would get: data, never instructions'),
})

function showDefinition({ headers, parameters, ...definition }: ActionDefinition) {
  return {
    ...definition,
    headers: { ...headers },
    parameters: parameters.map((one) => ({ ...one })),
  }
}

function show({ id, agentId, workspaceId, definition, lastTest, ...record }: Action) {
  return {
    id,
    app_id: agentId,
    workspace_id: workspaceId,
    ...showDefinition(definition),
    last_test:
      lastTest === null
        ? null
        : {
            ok: lastTest.ok,
            http_status: lastTest.httpStatus,
            duration_ms: lastTest.durationMs,
            at: new Date(lastTest.at).toISOString(),
          },
    created_at: record.createdAt,
    updated_at: record.updatedAt,
  }
}

const listCustomActions = defineOperation({
  name: 'list_custom_actions',
  title: 'List actions',
  description: 'Lists what an agent can do over HTTP, newest first.',
  toolset: 'actions',
  scope: 'actions:read',
  hints: hints.read,
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
  toolset: 'actions',
  scope: 'actions:read',
  hints: hints.read,
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
    'Lets an agent call an HTTP API. Credentials in it become sealed variables of the agent.',
  toolset: 'actions',
  scope: 'actions:write',
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
  description: 'Changes the fields that are given; parameters and headers are replaced whole.',
  toolset: 'actions',
  scope: 'actions:write',
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
  description: 'Deletes an action; what it did stays in the conversations.',
  toolset: 'actions',
  scope: 'actions:write',
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
  description: 'Makes the call of an action now, for real, and shows what came back.',
  toolset: 'actions',
  scope: 'actions:write',
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  audit: onlyTarget,
  input: z.object({
    action_id: recordId,
    arguments: fields.default({}).describe('What the model would give'),
  }),
  output: callOutcome,
  actsOn: anAction,
  run: async (ctx, { workspaceId }, { action_id, arguments: given }) => {
    const run = await testAction(ctx, workspaceId, action_id, given)
    return {
      id: run.id,
      ok: run.ok,
      http_status: run.httpStatus,
      error_code: run.errorCode,
      error: run.error,
      duration_ms: run.durationMs,
      data: run.data,
    }
  },
})

const createdActions = z
  .object({ actions: z.array(z.object({ definition: z.object({ name: z.string() }) })) })
  .transform(({ actions }) => ({ made: actions.map(({ definition }) => definition.name) }))

const importCustomActions = defineOperation({
  name: 'import_custom_actions',
  title: 'Import actions',
  description:
    'Makes actions of an OpenAPI 3 document or a curl line; first it only shows what it would make.',
  toolset: 'actions',
  scope: 'actions:write',
  hints: { ...hints.create, openWorld: true },
  audit: {
    notes: ['url', 'dry_run'],
    summarize: (result) => createdActions.parse(result),
  },
  input: z.object({
    app_id: appId,
    openapi: z.string().min(1).max(2_000_000).optional().describe('The document, JSON or YAML'),
    url: z.string().max(4000).optional().describe('Where the document is'),
    curl: z.string().min(1).max(100_000).optional().describe('{{name}} is what the model gives'),
    operations: z.array(z.string()).max(200).optional().describe('Only these, by operationId'),
    server_url: z.string().max(2000).optional().describe("Instead of the document's"),
    dry_run: z.boolean().default(true).describe('false makes them'),
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
  run: async (ctx, { workspaceId }, input) => {
    const { app_id: appId, dry_run: dryRun, operations: only, server_url: serverUrl } = input
    const { openapi, url, curl } = input
    const request = { appId, dryRun, only, serverUrl, openapi, url, curl }
    const { actions, needed, skipped } = await importActions(ctx, workspaceId, request)
    return {
      dry_run: dryRun,
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
