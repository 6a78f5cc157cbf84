import { z } from 'zod'
import {
  deleteVariable,
  listVariables,
  maxSecretHosts,
  setVariable,
  variableKinds,
  variableName,
  type Variable,
} from '#features/variables/index.ts'
import { anAgent } from '#operations/acts-on.ts'
import type { Audit } from '#operations/audited.ts'
import {
  appId,
  defineOperation,
  hints,
  listAnswer,
  listOf,
  paging,
  peopleOnly,
  timestamp,
} from '#operations/operation.ts'
import { showAs } from '#operations/show-as.ts'

const value = z.union([z.string().max(8000), z.number(), z.boolean()])

const variable = z.strictObject({
  name: z.string(),
  type: z.enum(variableKinds),
  value: value.nullable().describe('null for a secret'),
  description: z.string(),
  hosts: z
    .array(z.string())
    .nullable()
    .describe('The only hosts that receive a secret; "*" means any; null if not a secret'),
  created_at: timestamp,
  updated_at: timestamp,
})

const named = showAs(variable)

function show({ kind: type, ...found }: Variable) {
  return named({ ...found, type })
}

const changesVariable: Audit<{ readonly app_id: string; readonly name: string }> = {
  targetColumn: 'agent_id',
  record: ({ workspaceId, input }) => ({
    table: 'agent_variables',
    where: { agent: input.app_id, workspace_id: workspaceId, name: input.name },
  }),
}

export const appVariableOperations = [
  defineOperation({
    name: 'list_app_variables',
    title: 'List variables',
    description:
      'Lists the variables that actions use as {{var.NAME}}. Values of secrets are not shown.',
    toolset: 'actions',
    scope: 'actions:read',
    hints: hints.read,
    input: z.object({ app_id: appId, ...paging }),
    output: listOf(variable),
    actsOn: anAgent,
    run: async (ctx, { workspaceId }, { app_id, ...page }) =>
      listAnswer(await listVariables(ctx, workspaceId, app_id, page), show),
  }),
  defineOperation({
    name: 'set_app_variable',
    title: 'Set variable',
    description:
      'Creates or changes a variable of an agent. A secret is never shown again, and is sent only to the hosts that it names.',
    toolset: 'actions',
    scope: 'actions:write',
    hints: hints.update,
    audit: changesVariable,
    input: z.object({
      app_id: appId,
      name: variableName,
      type: z.enum(variableKinds).default('string'),
      value: value.optional().describe('Unchanged if left out'),
      description: z.string().max(2000).optional(),
      hosts: z
        .array(z.string().trim().min(1).max(255))
        .max(maxSecretHosts)
        .nullish()
        .describe(
          'Required for a new secret: the only hosts that receive it, such as api.example.com',
        ),
    }),
    output: variable,
    actsOn: anAgent,
    run: async (ctx, { workspaceId }, { app_id: appId, type: kind, ...change }) =>
      show(await setVariable(ctx, workspaceId, { appId, kind, ...change })),
  }),
  defineOperation({
    name: 'allow_any_host',
    title: 'Allow any host for a secret',
    description:
      'Lets the actions of an agent send a secret to any host, so that every editor can send it anywhere. Creates the secret if a value is given.',
    toolset: 'actions',
    scope: 'actions:write',
    role: 'owner',
    surfaces: peopleOnly,
    hints: hints.update,
    needsConfirmation: true,
    audit: changesVariable,
    input: z.object({
      app_id: appId,
      name: variableName,
      value: z.string().max(8000).optional().describe('Unchanged if left out'),
      description: z.string().max(2000).optional(),
    }),
    output: variable,
    actsOn: anAgent,
    run: async (ctx, { workspaceId }, { app_id: appId, ...change }) =>
      show(await setVariable(ctx, workspaceId, { appId, kind: 'secret', hosts: 'any', ...change })),
  }),
  defineOperation({
    name: 'delete_app_variable',
    title: 'Delete variable',
    description: 'Deletes a variable. Actions that use it fail until it is set again.',
    toolset: 'actions',
    scope: 'actions:write',
    hints: hints.remove,
    audit: changesVariable,
    input: z.object({ app_id: appId, name: variableName }),
    output: variable,
    actsOn: anAgent,
    run: async (ctx, { workspaceId }, input) =>
      show(await deleteVariable(ctx, workspaceId, input.app_id, input.name)),
  }),
]
