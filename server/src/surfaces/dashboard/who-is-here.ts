import { isOperator } from '#features/credits/index.ts'
import { acceptsPasswords, identityFaults, personalActor } from '#features/identity/index.ts'
import { hasSecondFactor } from '#features/second-factors/index.ts'
import { listWorkspaces, type Workspace } from '#features/workspaces/index.ts'
import { isFault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { accountPurpose, formToken } from '#surfaces/http/form-token.ts'
import { countedSession } from './acting-person.ts'
import type { Me } from './page-answers.ts'

/** More than the switcher can show; other workspaces can be reached by their address. */
const maxWorkspaces = 1000

/**
 * GET /api/dashboard/me: the signed-in person, their workspaces, and what the pages need to know
 * about the service. `form_token` is the token of the account pages' forms, used for signing out.
 */
export async function whoIsHere(ctx: Context, c: Http, version: string): Promise<Response> {
  const { user } = await countedSession(ctx, c)
  const { items } = await listWorkspaces(ctx, user.id, { limit: maxWorkspaces })
  const me: Me = {
    user: { id: user.id, name: user.name, email: user.email },
    workspaces: await shown(ctx, user.id, items),
    default_workspace_id: await defaultWorkspace(ctx, user.id),
    locale: preferredLocale(c.req.header('accept-language')),
    limits: {
      body_bytes: ctx.config.maxBodyBytes,
      file_bytes: ctx.config.maxFileSourceBytes,
      text_bytes: ctx.config.maxTextSourceBytes,
      chat_files: ctx.config.maxChatFiles,
      chat_file_bytes: ctx.config.maxChatFileBytes,
    },
    for_sale: {
      plans: [...(ctx.billing?.plans ?? [])],
      packs: [...(ctx.billing?.packs ?? [])],
    },
    sends_mail: ctx.mail !== null,
    accepts_passwords: acceptsPasswords(ctx.config),
    is_operator: await isOperator(ctx, user.id),
    base_url: ctx.config.baseUrl,
    form_token: formToken(ctx, c, accountPurpose),
    version,
  }
  return c.json(me)
}

async function shown(
  ctx: Context,
  userId: string,
  workspaces: readonly Workspace[],
): Promise<Me['workspaces']> {
  const needsFactor = ({ role, ownersNeedSecondFactor }: Workspace) =>
    role === 'owner' && ownersNeedSecondFactor
  const hasNone = workspaces.some(needsFactor) && !(await hasSecondFactor(ctx.db.read, userId))
  return workspaces.map((one) => ({
    id: one.id,
    name: one.name,
    plan: one.plan,
    role: one.role,
    owners_need_second_factor: one.ownersNeedSecondFactor,
    waits_for_second_factor: hasNone && needsFactor(one),
  }))
}

async function defaultWorkspace(ctx: Context, userId: string): Promise<string | null> {
  try {
    return (await personalActor(ctx, userId)).workspaceId
  } catch (error) {
    if (isFault(error, identityFaults.no_workspace)) return null
    throw error
  }
}

/** The first language in the header: browsers list the preferred one first. */
function preferredLocale(header: string | undefined): string | null {
  return /^\s*([a-z]{2,3}(?:-[a-z0-9]{2,8})*)/i.exec(header ?? '')?.[1] ?? null
}
