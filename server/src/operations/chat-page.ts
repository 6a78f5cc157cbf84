import { z } from 'zod'
import {
  chatPagePatch,
  chatPageSettings,
  contrastWithPaper,
  createEditorPass,
  endVisits,
  getChatPage,
  rotateIdentitySecret,
  updateChatPage,
  widgetUse,
  type ChatPage,
} from '#features/visitors/index.ts'
import type { Context } from '#platform/context.ts'
import { anAgent } from './acts-on.ts'
import { onlyTarget, type Audit } from './audited.ts'
import {
  appId,
  type Call,
  defineOperation,
  hints,
  peopleOnly,
  recordId,
  timestamp,
} from './operation.ts'
import { addressFor } from './show-address.ts'

const page = chatPageSettings
  .extend({
    app_id: recordId,
    color_contrast: z.number().describe('Of the colour with white, from 1 to 21 (WCAG)'),
    widget_key: z
      .string()
      .nullable()
      .describe('Publishable key of the widget; null until the page is set up'),
    has_identity_secret: z.boolean(),
    url: z.string().describe('The address of the page; with its secret if the access is "link"'),
  })
  .strict()

/** Addresses that may contain a credential of the workspace. */
const ownAddresses = ['moderation_url', 'identity_jwks_url'] as const

function show(
  { config }: Context,
  call: Pick<Call, 'actor' | 'role'>,
  { agentId, appNameId, settings, linkToken, widgetKey, hasIdentitySecret }: ChatPage,
) {
  const secret = settings.access === 'link' && linkToken !== null ? `?k=${linkToken}` : ''
  const url = `${config.baseUrl}/chat/${appNameId}${secret}`
  const shown = addressFor(call, 'apps:write')
  const masked = Object.fromEntries(ownAddresses.map((name) => [name, shown(settings[name])]))
  return {
    ...settings,
    ...masked,
    app_id: agentId,
    widget_key: widgetKey,
    has_identity_secret: hasIdentitySecret,
    url,
    color_contrast: contrastWithPaper(settings.color),
  }
}

const dayMs = 86_400_000

const site = z.strictObject({
  origin: z.string().describe('Empty for all sites that may not embed the widget'),
  loads: z.int().describe('Pages that have loaded the widget'),
  visits: z.int().describe('How often a visitor has opened it'),
  last_day: z.string().describe('The last day with a load (UTC)'),
})

const changesPage: Audit<{ readonly app_id: string }> = {
  record: ({ workspaceId, input }) => ({
    table: 'chat_pages',
    where: { agent: input.app_id, workspace_id: workspaceId },
  }),
}

export const chatPageOperations = [
  defineOperation({
    name: 'get_chat_page',
    title: 'Get chat page',
    description: "Shows the settings of an agent's public chat page, and its address.",
    toolset: 'apps',
    scope: 'apps:read',
    role: 'editor',
    hints: hints.read,
    input: z.object({ app_id: appId }),
    output: page,
    actsOn: anAgent,
    run: async (ctx, call, input) =>
      show(ctx, call, await getChatPage(ctx, call.workspaceId, input.app_id)),
  }),
  defineOperation({
    name: 'get_chat_page_code',
    title: 'Get QR code of the chat page',
    description: "Draws the address of an agent's chat page as a QR code.",
    toolset: 'apps',
    scope: 'apps:read',
    role: 'editor',
    surfaces: peopleOnly,
    hints: hints.read,
    input: z.object({ app_id: appId }),
    output: z.strictObject({ url: z.string(), svg: z.string() }),
    actsOn: anAgent,
    run: async (ctx, call, input) => {
      const { url } = show(ctx, call, await getChatPage(ctx, call.workspaceId, input.app_id))
      const { renderSVG } = await import('uqr')
      return { url, svg: renderSVG(url, { border: 2 }) }
    },
  }),
  defineOperation({
    name: 'update_chat_page',
    title: 'Update chat page',
    description:
      'Switches the public chat page of an agent on or off, and changes who may open it, how it looks and its daily budget.',
    toolset: 'apps',
    scope: 'apps:write',
    hints: hints.update,
    audit: changesPage,
    input: chatPagePatch.extend({ app_id: appId }),
    output: page,
    actsOn: anAgent,
    run: async (ctx, call, { app_id, ...patch }) =>
      show(ctx, call, await updateChatPage(ctx, call.workspaceId, app_id, patch)),
  }),
  defineOperation({
    name: 'end_chat_visits',
    title: 'End all visits',
    description:
      'Ends every visit of an agent’s chat page, and replaces its secret link. Anonymous visitors no longer find their conversations; the conversations stay.',
    toolset: 'apps',
    scope: 'apps:write',
    surfaces: peopleOnly,
    hints: hints.remove,
    audit: changesPage,
    input: z.object({ app_id: appId }),
    output: page,
    actsOn: anAgent,
    run: async (ctx, call, input) =>
      show(ctx, call, await endVisits(ctx, call.workspaceId, input.app_id)),
  }),
  defineOperation({
    name: 'rotate_identity_secret',
    title: 'Replace identity secret',
    description:
      'Replaces the secret with which your server signs who the visitors of a widget are. The new one is shown once; the old one no longer works.',
    toolset: 'apps',
    scope: 'apps:write',
    surfaces: peopleOnly,
    hints: hints.update,
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
    run: async (ctx, { workspaceId }, input) => {
      const made = await rotateIdentitySecret(ctx, workspaceId, input.app_id)
      const { agentId, secret, moderationSecret } = made
      return { app_id: agentId, secret, moderation_secret: moderationSecret }
    },
  }),
  defineOperation({
    name: 'get_widget_sites',
    title: 'Get widget sites',
    description: 'Shows which sites have loaded the widget of an agent, and how often.',
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
      const of = { workspaceId, userId: actor.userId }
      const { pass, endsAt } = await createEditorPass(ctx, of, app_id)
      return { pass, expires_at: endsAt }
    },
  }),
]
