import { requireAgent } from '#features/agents/index.ts'
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
import { findPage, insertPage, updatePageRow } from './page-store.ts'
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
}

/** @throws Fault record_not_found */
export async function getChatPage(
  { db }: Pick<Context, 'db'>,
  workspaceId: string,
  appId: string,
): Promise<ChatPage> {
  const agent = await requireAgent(db.read, workspaceId, appId)
  const row = await findPage(db.read, workspaceId, agent.id)
  return {
    agentId: agent.id,
    appNameId: agent.app_name_id,
    settings: row === undefined ? defaultPageSettings : readPageSettings(row.settings_json),
    linkToken: row?.link_token ?? null,
    widgetKey: row?.widget_key ?? null,
    hasIdentitySecret: (row?.identity_sealed ?? null) !== null,
  }
}

type ChangeContext = Pick<Context, 'db' | 'clock'>

/**
 * Changes the settings that the patch names.
 *
 * @throws Fault record_not_found, invalid_input for a sign-in without a provider or keys without https
 */
export async function updateChatPage(
  ctx: ChangeContext & Pick<Context, 'openId' | 'outbound'>,
  workspaceId: string,
  appId: string,
  patch: ChatPagePatch,
): Promise<ChatPage> {
  if (patch.access === 'openid' && ctx.openId === null)
    throw new Fault(commonFaults.invalid_input, { issues: ['access: there is no OpenID provider'] })
  const { identity_jwks_url: keys = '' } = patch
  if (keys !== '' && !mayHaveKeys(ctx.outbound, keys))
    throw new Fault(commonFaults.invalid_input, { issues: ['identity_jwks_url: must be https'] })
  return await changePage(ctx, workspaceId, appId, (row) => {
    const settings = chatPageSettings.parse({ ...readPageSettings(row.settings_json), ...patch })
    return { settings_json: JSON.stringify(settings) }
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
  return changePage(ctx, workspaceId, appId, (row) => ({
    generation: row.generation + 1,
    link_token: newLink(),
  }))
}

/**
 * Replaces the secret with which the host's server signs who its visitors are. It is shown once.
 *
 * @throws Fault record_not_found
 */
export async function rotateIdentitySecret(
  ctx: ChangeContext & Pick<Context, 'vault'>,
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
  const { agentId } = await changePage(ctx, workspaceId, appId, () => ({ identity_sealed }))
  return { agentId, secret, moderationSecret: moderationSecretOf(secret) }
}

type PageRow = NonNullable<Awaited<ReturnType<typeof findPage>>>

function changePage(
  { db, clock }: ChangeContext,
  workspaceId: string,
  appId: string,
  change: (row: PageRow) => Partial<PageRow>,
): Promise<ChatPage> {
  return db.write(async (tx) => {
    const agent = await requireAgent(tx, workspaceId, appId)
    const row = await pageRow(tx, clock.now(), { workspaceId, agentId: agent.id })
    // A page of an earlier release has no key yet.
    const widget_key = row.widget_key ?? newWidgetKey()
    const next = { ...change(row), widget_key, updated_at: clock.now() }
    await updatePageRow(tx, agent.id, next)
    const { settings_json, link_token, identity_sealed } = { ...row, ...next }
    return {
      agentId: agent.id,
      appNameId: agent.app_name_id,
      settings: readPageSettings(settings_json),
      linkToken: link_token,
      widgetKey: widget_key,
      hasIdentitySecret: identity_sealed !== null,
    }
  })
}

/** A step: the row of an agent's page, which the first change creates. */
async function pageRow(
  tx: Tx,
  now: number,
  { workspaceId, agentId }: { readonly workspaceId: string; readonly agentId: string },
): Promise<PageRow> {
  const found = await findPage(tx, workspaceId, agentId)
  if (found !== undefined) return found
  const row: PageRow = {
    agent_id: agentId,
    workspace_id: workspaceId,
    settings_json: JSON.stringify(defaultPageSettings),
    link_token: newLink(),
    widget_key: newWidgetKey(),
    identity_sealed: null,
    generation: 1,
    created_at: now,
    updated_at: now,
  }
  await insertPage(tx, row)
  return row
}

function newLink(): string {
  return mintToken('').token.slice(0, 27)
}

/** Public: it is in the source of the host's pages. */
function newWidgetKey(): string {
  return mintToken('ppk_').token.slice(0, 28)
}
