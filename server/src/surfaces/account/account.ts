import { html } from 'hono/html'
import { listConnectedApps } from '#features/grants/index.ts'
import {
  acceptsPasswords,
  changePassword,
  endOtherSessions,
  endSession,
  findUser,
  identityFaults,
  isConfirmed,
  listSessions,
  personalActor,
  renameUser,
  signOut,
  type Session,
} from '#features/identity/index.ts'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'
import { listSecondFactors } from '#features/second-factors/index.ts'
import { Fault, isFault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { clearCookie, readTokenCookie } from '#surfaces/http/cookies.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { accountPurpose, formToken, requireFormToken } from '#surfaces/http/form-token.ts'
import { answerPage } from '#surfaces/http/page.ts'
import { readOwnForm } from '#surfaces/http/read-form.ts'
import { localPath, pathTo } from '#surfaces/http/service-address.ts'
import { readSession, requireSession } from '#surfaces/http/signed-in.ts'
import { formFault } from './account-faults.ts'
import { accountPage } from './account-page.ts'

/** GET /account */
export async function showAccount(ctx: Context, c: Http): Promise<Response> {
  const session = await readSession(ctx, c)
  if (session === null)
    return c.redirect(
      pathTo(ctx.config, '/login', { return_to: pathTo(ctx.config, '/account') }),
      303,
    )
  return await answerAccount(ctx, c, session)
}

/** POST /account/password */
export async function replacePassword(ctx: Context, c: Http): Promise<Response> {
  const { session, form } = await readChange(ctx, c)
  const passwords = { current: form.get('current') ?? '', next: form.get('next') ?? '' }
  try {
    await changePassword(ctx, session, passwords)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return await answerAccount(ctx, c, session, error)
  }
  return c.redirect(pathTo(ctx.config, '/account', { changed: 'password' }), 303)
}

/** POST /account/name */
export async function rename(ctx: Context, c: Http): Promise<Response> {
  const { session, form } = await readChange(ctx, c)
  await renameUser(ctx, session, form.get('name') ?? '')
  return c.redirect(pathTo(ctx.config, '/account', { changed: 'name' }), 303)
}

/** POST /account/sessions/end */
export async function endOneSession(ctx: Context, c: Http): Promise<Response> {
  const { session, form } = await readChange(ctx, c)
  await endSession(ctx, session.user.id, form.get('id') ?? '')
  return c.redirect(pathTo(ctx.config, '/account'), 303)
}

/** POST /account/sessions/end-others */
export async function endOthers(ctx: Context, c: Http): Promise<Response> {
  const { session } = await readChange(ctx, c)
  await endOtherSessions(ctx, session)
  return c.redirect(pathTo(ctx.config, '/account'), 303)
}

/** POST /account/connected-apps/revoke: runs the operation, so that the audit log records it. */
export async function revokeApp(ctx: Context, c: Http): Promise<Response> {
  const { session, form } = await readChange(ctx, c)
  const operation = findOperation('revoke_connected_app')
  if (operation === undefined) throw new Error('revoke_connected_app is not in the catalogue')
  const actor = await personalActor(ctx, session.user.id)
  await runOperation(ctx, actor, operation, { id: form.get('id') ?? '' })
  return c.redirect(pathTo(ctx.config, '/account'), 303)
}

/** POST /sign-out: also works for a person who is already signed out, whose form may be old. */
export async function leave(ctx: Context, c: Http): Promise<Response> {
  const form = await readOwnForm(c, ctx.config)
  const token = readTokenCookie(c, ctx.config, 'session')
  if (token !== null) {
    requireFormToken(ctx, c, accountPurpose, form)
    await signOut(ctx, token)
  }
  clearCookie(c, ctx.config, 'session')
  const returnTo = localPath(ctx.config, form.get('return_to') ?? undefined)
  return c.redirect(returnTo ?? pathTo(ctx.config, '/signed-out'), 303)
}

/** GET /signed-out */
export async function showSignedOut({ config }: Context, c: Http): Promise<Response> {
  const body = html`<h1>You are signed out</h1>
    <p class="lead">This browser can no longer act for you.</p>
    <p><a href="${pathTo(config, '/login')}">Sign in again</a></p>`
  return await answerPage(c, config, { title: 'Signed out', body })
}

async function readChange(ctx: Context, c: Http) {
  const form = await readOwnForm(c, ctx.config)
  const session = await requireSession(ctx, c)
  requireFormToken(ctx, c, accountPurpose, form)
  return { session, form }
}

async function answerAccount(
  ctx: Context,
  c: Http,
  current: Session,
  error?: Fault,
): Promise<Response> {
  const { status, message } = formFault(c, error)
  // The email is known here: only the password can be wrong.
  const isWrong = isFault(error, identityFaults.credentials_wrong)
  const problem = isWrong ? 'That is not your current password. Try again.' : message
  const person = acceptsPasswords(ctx.config) ? await findUser(ctx, current.user.id) : null
  const hasPassword = person?.hasPassword ?? false
  const sessions = await listSessions(ctx, current.user.id)
  const { items: connectedApps } = await listConnectedApps(ctx, current.user.id, { limit: 100 })
  const { factors, codesLeft } = await listSecondFactors(ctx, current.user.id)
  const token = formToken(ctx, c, accountPurpose)
  const changed = error === undefined ? (c.req.query('changed') ?? null) : null
  const signedIn = { current, sessions, connectedApps, factors, codesLeft }
  const view = {
    ...signedIn,
    token,
    hasPassword,
    problem,
    changed,
    confirmed: isConfirmed(ctx, current),
  }
  return await answerPage(c, ctx.config, accountPage(ctx.config, view), status)
}
