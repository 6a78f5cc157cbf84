import { z } from 'zod'
import {
  chatPagePatch,
  chatPageSettings,
  checkDomainNow,
  contrastWithPaper,
  domain,
  endVisits,
  getChatPage,
  noteSecretShown,
  slug,
  updateChatPage,
  type ChatPage,
  type PageDomain,
} from '#features/visitors/index.ts'
import { isObject } from '#kernel/json.ts'
import type { Context } from '#platform/context.ts'
import { anAgent } from '#operations/acts-on.ts'
import type { Audit } from '#operations/audited.ts'
import {
  appId,
  type Call,
  defineOperation,
  hints,
  memberOf,
  peopleOnly,
  recordId,
  timestamp,
} from '#operations/operation.ts'
import { addressFor } from '#operations/show-address.ts'

const domainCheck = z.strictObject({
  state: z
    .enum(['waiting', 'served', 'lost'])
    .describe('lost: it was served, and its proof is gone'),
  txt_name: z.string().describe('Name of the TXT record that proves the domain'),
  txt_value: z.string(),
  target: z.string().describe('Host to which a CNAME record of the domain leads'),
  checked_at: timestamp.nullable(),
  problem: z
    .enum(['no_record', 'other_record', 'no_answer', 'in_use'])
    .nullable()
    .describe('Why the last check did not prove it'),
  stops_at: timestamp.nullable().describe('When it is no longer served without the record'),
})

/** What is stored was checked, so that an answer needs no rules. */
const anyText = z.string()
const anyTexts = z.array(z.string())

const page = chatPageSettings
  .extend({
    imprint_url: anyText,
    privacy_url: anyText,
    logo: anyText,
    color: anyText,
    widget_origins: anyTexts,
    open_on_paths: anyTexts,
    identity_jwks_url: anyText,
    blocked_words: anyTexts,
    moderation_url: anyText,
    slug: z.string(),
    domain: z.string(),
    domain_check: domainCheck.nullable(),
    app_id: recordId,
    color_contrast: z.number().describe('Of the colour with white, from 1 to 21 (WCAG)'),
    widget_key: z
      .string()
      .nullable()
      .describe('Publishable key of the widget; null until the page is set up'),
    has_identity_secret: z.boolean(),
    url: z
      .string()
      .describe(
        'The address of the page: at its domain if that is served; with its secret if the access is "link" and the caller may change the page',
      ),
  })
  .strict()

/** Addresses that may contain a credential of the workspace. */
const ownAddresses = ['moderation_url', 'identity_jwks_url'] as const

async function show(ctx: Context, call: Call, given: ChatPage) {
  const { config } = ctx
  const { agentId, settings, widgetKey, hasIdentitySecret } = given
  const shown = addressFor(call, 'apps:write')
  const masked = Object.fromEntries(ownAddresses.map((name) => [name, shown(settings[name])]))
  const address = addressOf(config, given)
  const url = shown(address)
  if (settings.access === 'link' && url === address)
    await noteSecretShown(ctx, { ...memberOf(call), agentId, kind: 'link' })
  return {
    ...settings,
    ...masked,
    app_id: agentId,
    slug: given.slug ?? '',
    domain: given.domain?.name ?? '',
    domain_check: given.domain === null ? null : showDomain(config, given.domain),
    widget_key: widgetKey,
    has_identity_secret: hasIdentitySecret,
    url,
    color_contrast: contrastWithPaper(settings.color),
  }
}

/** People sign in at the address of the service, so a page for some people is there. */
function addressOf(
  { baseUrl }: Context['config'],
  { appNameId, slug: name, domain: own, settings: { access }, linkToken }: ChatPage,
): string {
  const secret = access === 'link' && linkToken !== null ? `?k=${linkToken}` : ''
  const isAtDomain = own?.state === 'served' && (access === 'public' || access === 'link')
  if (isAtDomain) return `${new URL(baseUrl).protocol}//${own.name}/${secret}`
  return `${baseUrl}/chat/${name ?? appNameId}${secret}`
}

function showDomain({ baseUrl }: Context['config'], given: PageDomain) {
  const { state, proof, checkedAt, problem, stopsAt } = given
  return {
    state,
    txt_name: proof.name,
    txt_value: proof.value,
    target: new URL(baseUrl).hostname,
    checked_at: checkedAt,
    problem,
    stops_at: stopsAt,
  }
}

/** They decide whose word counts for who a visitor is. */
const identityFields = ['identity_jwks_url', 'identity_issuer', 'identity_audience'] as const

/** Whether an input lets somebody else vouch for visitors, as a new secret does. Taking the keys away is never delayed. */
function changesIdentity(input: unknown): boolean {
  if (!isObject(input)) return false
  const given = identityFields.filter((field) => Object.hasOwn(input, field))
  return given.some((field) => field !== 'identity_jwks_url' || input[field] !== '')
}

export const changesPage: Audit<{ readonly app_id: string }> = {
  // A later unit only notes who is shown a secret.
  writtenBy: 'first unit',
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
      await show(ctx, call, await getChatPage(ctx, call.workspaceId, input.app_id)),
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
      const { url } = await show(ctx, call, await getChatPage(ctx, call.workspaceId, input.app_id))
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
    needsConfirmation: changesIdentity,
    peopleOnlyFields: identityFields,
    hints: hints.update,
    audit: changesPage,
    input: chatPagePatch.extend({
      app_id: appId,
      slug: slug
        .optional()
        .describe('Name in the address, /chat/{slug}; empty for the app_name_id'),
      domain: domain
        .optional()
        .describe('Domain of your own, served once its TXT record proves it; empty for none'),
    }),
    output: page,
    actsOn: anAgent,
    run: async (ctx, call, { app_id, ...patch }) =>
      await show(ctx, call, await updateChatPage(ctx, call.workspaceId, app_id, patch)),
  }),
  defineOperation({
    name: 'check_chat_domain',
    title: 'Check the domain of a chat page',
    description:
      'Looks for the TXT record that proves the domain of a chat page, and then serves the page there.',
    toolset: 'apps',
    scope: 'apps:write',
    surfaces: peopleOnly,
    hints: { ...hints.update, openWorld: true },
    audit: changesPage,
    input: z.object({ app_id: appId }),
    output: page,
    actsOn: anAgent,
    run: async (ctx, call, input) =>
      await show(ctx, call, await checkDomainNow(ctx, call.workspaceId, input.app_id)),
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
      await show(ctx, call, await endVisits(ctx, call.workspaceId, input.app_id)),
  }),
]
