import { z } from 'zod'
import { credentialOf } from '#features/credentials/index.ts'
import {
  createEditorPass,
  noteSecretShown,
  rotateIdentitySecret,
  widgetUse,
} from '#features/visitors/index.ts'
import { dayMs } from '#kernel/durations.ts'
import { anAgent } from '#operations/acts-on.ts'
import { onlyTarget } from '#operations/audited.ts'
import { changesPage } from './chat-page.ts'
import {
  appId,
  defineOperation,
  hints,
  memberOf,
  peopleOnly,
  recordId,
  timestamp,
} from '#operations/operation.ts'

const site = z.strictObject({
  origin: z
    .string()
    .describe(
      'Empty for all sites that may not embed the widget, and for those beyond 50 in a day',
    ),
  loads: z.int().describe('Pages that have loaded the widget'),
  visits: z.int().describe('How often a visitor has opened it'),
  last_day: z.string().describe('The last day with a load (UTC)'),
})

/** What concerns the widget of a chat page alone. */
export const widgetOperations = [
  defineOperation({
    name: 'rotate_identity_secret',
    title: 'Replace identity secret',
    description:
      'Replaces the secret with which your server signs who the visitors of a widget are. The new one is shown once; the old one no longer works.',
    toolset: 'apps',
    scope: 'apps:write',
    surfaces: peopleOnly,
    hints: hints.update,
    needsConfirmation: true,
    audit: changesPage,
    input: z.object({ app_id: appId }),
    output: z.strictObject({
      app_id: recordId,
      secret: z.string(),
      moderation_secret: z
        .string()
        .describe('Verifies the signature of what a moderation hook is asked'),
    }),
    actsOn: anAgent,
    run: async (ctx, call, input) => {
      const { workspaceId } = call
      const made = await rotateIdentitySecret(ctx, workspaceId, input.app_id)
      const { agentId, secret, moderationSecret } = made
      await noteSecretShown(ctx, { ...memberOf(call), agentId, kind: 'identity' })
      return { app_id: agentId, secret, moderation_secret: moderationSecret }
    },
  }),
  defineOperation({
    name: 'get_widget_sites',
    title: 'Get widget sites',
    description:
      'Shows which sites have loaded the widget of an agent, and how often: the 200 busiest.',
    toolset: 'apps',
    scope: 'apps:read',
    role: 'editor',
    surfaces: peopleOnly,
    hints: hints.read,
    input: z.object({
      app_id: appId,
      days: z.int().min(1).max(90).default(30).describe('Days that are counted, with today'),
    }),
    output: z.strictObject({ items: z.array(site) }),
    actsOn: anAgent,
    run: async (ctx, { workspaceId }, { app_id, days }) => {
      const found = await widgetUse(ctx, workspaceId, app_id, days)
      return {
        items: found.map(({ lastDay, ...use }) => ({
          ...use,
          last_day: new Date(lastDay * dayMs).toISOString().slice(0, 10),
        })),
      }
    },
  }),
  defineOperation({
    name: 'create_widget_pass',
    title: 'Create widget pass',
    description:
      'Creates a pass with which you can embed the widget of an agent on localhost for eight hours.',
    toolset: 'apps',
    scope: 'apps:write',
    surfaces: peopleOnly,
    hints: hints.create,
    audit: onlyTarget,
    input: z.object({ app_id: appId }),
    output: z.strictObject({ pass: z.string(), expires_at: timestamp }),
    actsOn: anAgent,
    run: async (ctx, { workspaceId, actor }, { app_id }) => {
      const of = { workspaceId, userId: actor.userId, by: credentialOf(actor) }
      const { pass, endsAt } = await createEditorPass(ctx, of, app_id)
      return { pass, expires_at: endsAt }
    },
  }),
]
