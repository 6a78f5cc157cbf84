import { z } from 'zod'
import {
  chatPagePatch,
  chatPageSettings,
  contrastWithPaper,
  endVisits,
  getChatPage,
  updateChatPage,
  type ChatPage,
} from '#features/visitors/index.ts'
import type { Context } from '#platform/context.ts'
import { anAgent } from './acts-on.ts'
import type { Audit } from './audited.ts'
import { appId, defineOperation, hints, recordId } from './operation.ts'

const page = chatPageSettings
  .extend({
    app_id: recordId,
    color_contrast: z.number().describe('Of the colour with white, from 1 to 21 (WCAG)'),
    url: z.string().describe('The address of the page; with its secret if the access is "link"'),
  })
  .strict()

function show({ config }: Context, { agentId, appNameId, settings, linkToken }: ChatPage) {
  const secret = settings.access === 'link' && linkToken !== null ? `?k=${linkToken}` : ''
  const url = `${config.baseUrl}/chat/${appNameId}${secret}`
  return { ...settings, app_id: agentId, url, color_contrast: contrastWithPaper(settings.color) }
}

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
    run: async (ctx, { workspaceId }, input) =>
      show(ctx, await getChatPage(ctx, workspaceId, input.app_id)),
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
    run: async (ctx, { workspaceId }, { app_id, ...patch }) =>
      show(ctx, await updateChatPage(ctx, workspaceId, app_id, patch)),
  }),
  defineOperation({
    name: 'end_chat_visits',
    title: 'End all visits',
    description:
      'Ends every visit of an agent’s chat page, and replaces its secret link. Anonymous visitors no longer find their conversations; the conversations stay.',
    toolset: 'apps',
    scope: 'apps:write',
    hints: hints.remove,
    audit: changesPage,
    input: z.object({ app_id: appId }),
    output: page,
    actsOn: anAgent,
    run: async (ctx, { workspaceId }, input) =>
      show(ctx, await endVisits(ctx, workspaceId, input.app_id)),
  }),
]
