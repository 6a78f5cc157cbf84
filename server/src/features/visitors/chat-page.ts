import { requireAgent } from '#features/agents/index.ts'
import { forgetKnownSecret } from '#features/api-keys/index.ts'
import { hourMs } from '#kernel/durations.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { mintToken } from '#kernel/tokens.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import {
  chatPageSettings,
  defaultPageSettings,
  readPageSettings,
  type ChatPagePatch,
  type ChatPageSettings,
} from './chat-page-settings.ts'
import { moderationSecretOf } from './moderation.ts'
import { changeOfDomain, changeOfSlug, noDomain } from './change-address.ts'
import { proofOfDomain } from './page-address.ts'
import { linkOf, newLink } from './page-link.ts'
import { findPage, insertPage, updatePageRow, type PageRow } from './page-store.ts'
import { mayHaveKeys } from './public-keys.ts'

/** An agent's chat page as its editors see it. */
export interface ChatPage {
  readonly agentId: string
  readonly appNameId: string
  readonly settings: ChatPageSettings
  /** Null until the page is set up for the first time. */
  readonly linkToken: string | null
  /** The publishable key of the widget; null until the page is set up for the first time. */
  readonly widgetKey: string | null
  readonly hasIdentitySecret: boolean
  /** Another name in the page's address than the agent's; null for none. */
  readonly slug: string | null
  /** Null for a page without a domain. */
  readonly domain: PageDomain | null
}

/** A domain of an agent's own, and how far its proof is. */
export interface PageDomain {
  readonly name: string
  readonly state: NonNullable<PageRow['domain_state']>
  /** The record that proves it. */
  readonly proof: ReturnType<typeof proofOfDomain>
  /** Null before the first check. */
  readonly checkedAt: number | null
  /** Why the last check did not prove it. */
  readonly problem: PageRow['domain_problem']
  /** When it is no longer served unless the record returns; null if the record is there. */
  readonly stopsAt: number | null
}

/** @throws Fault record_not_found */
export async function getChatPage(
  ctx: Pick<Context, 'db' | 'vault' | 'config'>,
  workspaceId: string,
  appId: string,
): Promise<ChatPage> {
  const agent = await requireAgent(ctx.db.read, workspaceId, appId)
  return pageOf(ctx, agent, await findPage(ctx.db.read, workspaceId, agent.id))
}

type Agent = Awaited<ReturnType<typeof requireAgent>>

function pageOf(
  ctx: Pick<Context, 'vault' | 'config'>,
  agent: Agent,
  row: PageRow | undefined,
): ChatPage {
  return {
    agentId: agent.id,
    appNameId: agent.app_name_id,
    settings: row === undefined ? defaultPageSettings : readPageSettings(row.settings_json),
    linkToken: row === undefined ? null : linkOf(ctx.vault, row.link_token),
    widgetKey: row?.widget_key ?? null,
    hasIdentitySecret: (row?.identity_sealed ?? null) !== null,
    slug: row?.slug ?? null,
    domain: row === undefined ? null : domainOf(ctx, row),
  }
}

function domainOf(
  { vault, config }: Pick<Context, 'vault' | 'config'>,
  { workspace_id: workspaceId, ...row }: PageRow,
): PageDomain | null {
  const { domain, domain_state: state, domain_failing_since: failingSince } = row
  if (domain === null || state === null) return null
  const graceMs = config.chatDomainGraceHours * hourMs
  return {
    name: domain,
    state,
    proof: proofOfDomain({ vault }, { workspaceId, domain }),
    checkedAt: row.domain_checked_at === 0 ? null : row.domain_checked_at,
    problem: row.domain_problem,
    stopsAt: failingSince === null ? null : failingSince + graceMs,
  }
}

type ChangeContext = Pick<Context, 'db' | 'clock' | 'vault' | 'config'>

/** What editors change of a page: its settings and its addresses. */
export interface PageChange extends ChatPagePatch {
  /** Empty for none. */
  readonly slug?: string | undefined
  /** Empty for none. */
  readonly domain?: string | undefined
}

/**
 * Changes the settings that the patch names.
 *
 * @throws Fault record_not_found, limit_reached, domains_limited, invalid_input for a sign-in without a provider, keys
 *   without https, or an address that another page has
 */
export async function updateChatPage(
  ctx: ChangeContext & Pick<Context, 'openId' | 'outbound'>,
  workspaceId: string,
  appId: string,
  { slug, domain, ...patch }: PageChange,
): Promise<ChatPage> {
  if (patch.access === 'openid' && ctx.openId === null)
    throw new Fault(commonFaults.invalid_input, { issues: ['access: there is no OpenID provider'] })
  const { identity_jwks_url: keys = '' } = patch
  if (keys !== '' && !mayHaveKeys(ctx.outbound, keys))
    throw new Fault(commonFaults.invalid_input, { issues: ['identity_jwks_url: must be https'] })
  return await changePage(ctx, workspaceId, appId, async (row, tx) => {
    const settings = chatPageSettings.parse({ ...readPageSettings(row.settings_json), ...patch })
    return {
      settings_json: JSON.stringify(settings),
      ...(slug === undefined ? {} : await changeOfSlug(tx, ctx, row, slug)),
      ...(domain === undefined ? {} : await changeOfDomain(tx, ctx, row, domain)),
    }
  })
}

/**
 * Ends all visits of an agent: every visitor token, the link of the page, and what browsers remember.
 * Conversations stay, but anonymous visitors no longer find theirs.
 *
 * @throws Fault record_not_found
 */
export function endVisits(
  ctx: ChangeContext,
  workspaceId: string,
  appId: string,
): Promise<ChatPage> {
  return changePage(ctx, workspaceId, appId, async (row, tx) => {
    await forgetKnownSecret(tx, { agentId: row.agent_id, kind: 'link' })
    return { generation: row.generation + 1, link_token: newLink(ctx.vault) }
  })
}

/**
 * Replaces the secret with which the host's server signs who its visitors are. It is shown once.
 *
 * @throws Fault record_not_found
 */
export async function rotateIdentitySecret(
  ctx: ChangeContext,
  workspaceId: string,
  appId: string,
): Promise<{
  readonly agentId: string
  readonly secret: string
  /** Signs what a moderation hook is asked. */
  readonly moderationSecret: string
}> {
  const { token: secret } = mintToken('pis_')
  const identity_sealed = ctx.vault.seal(secret)
  const { agentId } = await changePage(ctx, workspaceId, appId, async (row, tx) => {
    await forgetKnownSecret(tx, { agentId: row.agent_id, kind: 'identity' })
    return { identity_sealed }
  })
  return { agentId, secret, moderationSecret: moderationSecretOf(secret) }
}

function changePage(
  ctx: ChangeContext,
  workspaceId: string,
  appId: string,
  change: (row: PageRow, tx: Tx) => Partial<PageRow> | Promise<Partial<PageRow>>,
): Promise<ChatPage> {
  const { db, clock } = ctx
  return db.write(async (tx) => {
    const agent = await requireAgent(tx, workspaceId, appId)
    const row = await pageRow(tx, ctx, { workspaceId, agentId: agent.id })
    // A page of an earlier release has no key yet.
    const widget_key = row.widget_key ?? newWidgetKey()
    const next = { ...(await change(row, tx)), widget_key, updated_at: clock.now() }
    await updatePageRow(tx, agent.id, next)
    return pageOf(ctx, agent, { ...row, ...next })
  })
}

/** A step: the row of an agent's page, which the first change creates. */
async function pageRow(
  tx: Tx,
  { clock, vault }: Pick<Context, 'clock' | 'vault'>,
  { workspaceId, agentId }: { readonly workspaceId: string; readonly agentId: string },
): Promise<PageRow> {
  const found = await findPage(tx, workspaceId, agentId)
  if (found !== undefined) return found
  const now = clock.now()
  const row: PageRow = {
    agent_id: agentId,
    workspace_id: workspaceId,
    settings_json: JSON.stringify(defaultPageSettings),
    link_token: newLink(vault),
    widget_key: newWidgetKey(),
    identity_sealed: null,
    generation: 1,
    slug: null,
    ...noDomain,
    created_at: now,
    updated_at: now,
  }
  await insertPage(tx, row)
  return row
}

/** Public: it is in the source of the host's pages. */
function newWidgetKey(): string {
  return mintToken('ppk_').token.slice(0, 28)
}
