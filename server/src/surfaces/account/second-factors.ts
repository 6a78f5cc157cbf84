import {
  beginApp,
  beginPasskey,
  finishApp,
  finishPasskey,
  pendingApp,
  relyingParty,
  removeSecondFactor,
  replaceRecoveryCodes,
  secondFactorFaults,
  workspacesWaitingForFactor,
  type AppSecret,
  type Holder,
} from '#features/second-factors/index.ts'
import { requireConfirmed, type Session } from '#features/identity/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { clientAddress } from '#surfaces/http/client-address.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { accountPurpose, formToken, requireFormToken } from '#surfaces/http/form-token.ts'
import { answerPage } from '#surfaces/http/page.ts'
import { readOwnForm } from '#surfaces/http/read-form.ts'
import { localPath, pathTo } from '#surfaces/http/service-address.ts'
import { readSession, requireSession } from '#surfaces/http/signed-in.ts'
import { formFault } from './account-faults.ts'
import { appPage, choicePage, passkeyPage, recoveryCodesPage } from './add-factor-pages.ts'
import { browserName } from './browser-name.ts'
import { confirmed } from './confirm.ts'

/** GET /account/second-factor */
export async function showChoice(ctx: Context, c: Http): Promise<Response> {
  const session = await readSession(ctx, c)
  const returnTo = returnTarget(ctx, c.req.query('return_to'))
  if (session === null) {
    const back = pathTo(ctx.config, '/account/second-factor', { return_to: returnTo })
    return c.redirect(pathTo(ctx.config, '/login', { return_to: back }), 303)
  }
  const [waiting] = await workspacesWaitingForFactor(ctx.db.read, session.user.id)
  const hasPasskeys = relyingParty(ctx.config) !== null
  const view = { returnTo, hasPasskeys, requiredBy: waiting?.name ?? null }
  return await answerPage(c, ctx.config, choicePage(ctx.config, view))
}

/** GET /account/second-factor/app */
export async function showAddApp(ctx: Context, c: Http): Promise<Response> {
  const returnTo = returnTarget(ctx, c.req.query('return_to'))
  return await confirmed(ctx, c, addPath('app', returnTo), async (session) =>
    answerApp(ctx, c, { returnTo, app: await beginApp(ctx, holderOf(ctx, c, session)) }),
  )
}

/** POST /account/second-factor/app */
export async function addApp(ctx: Context, c: Http): Promise<Response> {
  const { form, holder, returnTo } = await readFactorForm(ctx, c)
  try {
    const given = { code: form.get('code') ?? '', name: nameIn(form, 'Authenticator app') }
    return await afterAdding(ctx, c, await finishApp(ctx, holder, given), returnTo)
  } catch (error) {
    if (!isRetriable(error)) throw error
    return await answerApp(ctx, c, { returnTo, app: await pendingApp(ctx, holder), error })
  }
}

async function answerApp(
  ctx: Context,
  c: Http,
  { returnTo, app, error }: { returnTo: string; app: AppSecret; error?: Fault },
): Promise<Response> {
  const { renderSVG } = await import('uqr')
  const { status, message: problem } = formFault(c, error)
  const form = { formToken: formToken(ctx, c, accountPurpose), returnTo, problem }
  const shown = { ...app, qr: renderSVG(app.uri, { border: 2 }) }
  return await answerPage(c, ctx.config, appPage(ctx.config, form, shown), status)
}

/** GET /account/second-factor/passkey */
export async function showAddPasskey(ctx: Context, c: Http): Promise<Response> {
  const returnTo = returnTarget(ctx, c.req.query('return_to'))
  return await confirmed(ctx, c, addPath('passkey', returnTo), async (session) =>
    answerPasskey(ctx, c, { returnTo, holder: holderOf(ctx, c, session) }),
  )
}

/** POST /account/second-factor/passkey */
export async function addPasskey(ctx: Context, c: Http): Promise<Response> {
  const { form, holder, returnTo } = await readFactorForm(ctx, c)
  try {
    const given = { answer: form.get('answer') ?? '', name: nameIn(form, 'Passkey') }
    return await afterAdding(ctx, c, await finishPasskey(ctx, holder, given), returnTo)
  } catch (error) {
    if (!isRetriable(error)) throw error
    return await answerPasskey(ctx, c, { returnTo, holder, error })
  }
}

async function answerPasskey(
  ctx: Context,
  c: Http,
  { returnTo, holder, error }: { returnTo: string; holder: Holder; error?: Fault },
): Promise<Response> {
  const options = await beginPasskey(ctx, holder)
  const { status, message: problem } = formFault(c, error)
  const form = { formToken: formToken(ctx, c, accountPurpose), returnTo, problem }
  const name = browserName(c.req.header('user-agent') ?? null)
  return await answerPage(c, ctx.config, passkeyPage(ctx.config, form, { options, name }), status)
}

/** POST /account/second-factor/remove */
export async function removeFactor(ctx: Context, c: Http): Promise<Response> {
  const { form, holder } = await readFactorForm(ctx, c)
  await removeSecondFactor(ctx, holder, form.get('id') ?? '')
  return c.redirect(pathTo(ctx.config, '/account'), 303)
}

/** POST /account/second-factor/recovery-codes */
export async function renewCodes(ctx: Context, c: Http): Promise<Response> {
  const { holder, returnTo } = await readFactorForm(ctx, c)
  const codes = await replaceRecoveryCodes(ctx, holder)
  return await answerPage(c, ctx.config, recoveryCodesPage(ctx.config, codes, returnTo))
}

async function afterAdding(
  ctx: Context,
  c: Http,
  codes: readonly string[] | null,
  returnTo: string,
): Promise<Response> {
  if (codes === null) return c.redirect(returnTo, 303)
  return await answerPage(c, ctx.config, recoveryCodesPage(ctx.config, codes, returnTo))
}

/** @throws Fault not_signed_in, form_stale, confirmation_required */
async function readFactorForm(ctx: Context, c: Http) {
  const form = await readOwnForm(c, ctx.config)
  const session = await requireSession(ctx, c)
  requireFormToken(ctx, c, accountPurpose, form)
  requireConfirmed(ctx, session)
  const returnTo = returnTarget(ctx, form.get('return_to') ?? undefined)
  return { form, returnTo, holder: holderOf(ctx, c, session) }
}

function isRetriable(error: unknown): error is Fault {
  return error instanceof Fault && error.code === secondFactorFaults.factor_wrong.code
}

function nameIn(form: URLSearchParams, otherwise: string): string {
  return form.get('name')?.trim() || otherwise
}

function addPath(kind: 'app' | 'passkey', returnTo: string): string {
  return `/account/second-factor/${kind}?${new URLSearchParams({ return_to: returnTo }).toString()}`
}

function returnTarget({ config }: Context, given: string | undefined): string {
  return localPath(config, given) ?? pathTo(config, '/account')
}

function holderOf(ctx: Context, c: Http, { id, user }: Session): Holder {
  const address = clientAddress(c, ctx.config)
  return { userId: user.id, email: user.email, name: user.name, sessionId: id, address }
}
