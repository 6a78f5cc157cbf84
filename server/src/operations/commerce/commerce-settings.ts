import { z } from 'zod'
import {
  commercePatch,
  commerceSettings,
  getCommerceSettings,
  updateCommerceSettings,
  type AgentCommerce,
} from '#features/catalog/index.ts'
import type { Context } from '#platform/context.ts'
import { anAgent } from '#operations/acts-on.ts'
import type { Audit } from '#operations/audited.ts'
import { appId, defineOperation, hints, recordId } from '#operations/operation.ts'

const settings = commerceSettings
  .extend({
    app_id: recordId,
    revision: z.string().describe('Other settings have another one'),
    payments: z.strictObject({
      provider: z.enum(['test', 'stripe']).describe('The payment provider: PAYMENTS'),
      test_mode: z.boolean().describe('True while no money moves'),
    }),
  })
  .strict()

function show({ payments }: Context, { agentId, settings, revision }: AgentCommerce) {
  const { provider, isTest } = payments
  return { ...settings, app_id: agentId, revision, payments: { provider, test_mode: isTest } }
}

const changesSettings: Audit<{ readonly app_id: string }> = {
  record: ({ workspaceId, input }) => ({
    table: 'commerce_settings',
    where: { agent: input.app_id, workspace_id: workspaceId },
  }),
}

export const commerceSettingsOperations = [
  defineOperation({
    name: 'get_commerce_settings',
    title: 'Get commerce settings',
    description: 'Shows how an agent sells: currency, shipping, tax, discount codes, links.',
    toolset: 'apps',
    scope: 'apps:read',
    hints: hints.read,
    input: z.object({ app_id: appId }),
    output: settings,
    actsOn: anAgent,
    run: async (ctx, { workspaceId }, input) =>
      show(ctx, await getCommerceSettings(ctx, workspaceId, input.app_id)),
  }),
  defineOperation({
    name: 'update_commerce_settings',
    title: 'Update commerce settings',
    description: 'Replaces each given setting as a whole. The others stay.',
    toolset: 'apps',
    scope: 'apps:write',
    hints: hints.update,
    audit: changesSettings,
    input: commercePatch.extend({
      app_id: appId,
      expected_revision: z
        .string()
        .max(64)
        .optional()
        .describe('Refused if the settings have another revision'),
    }),
    output: settings,
    actsOn: anAgent,
    run: async (ctx, { workspaceId }, { app_id, expected_revision, ...patch }) =>
      show(ctx, await updateCommerceSettings(ctx, workspaceId, app_id, patch, expected_revision)),
  }),
]
