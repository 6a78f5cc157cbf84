import { html } from 'hono/html'
import type { Config } from '#config'
import {
  beginConfirmation,
  confirmSession,
  identityFaults,
  isConfirmed,
  type ConfirmationWays,
  type Session,
} from '#features/identity/index.ts'
import { Fault, isFault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { accountPurpose, formToken, requireFormToken } from '#surfaces/http/form-token.ts'
import { answerPage, problemBox, type Html } from '#surfaces/http/page.ts'
import { readOwnForm } from '#surfaces/http/read-form.ts'
import { pathTo } from '#surfaces/http/service-address.ts'
import { readSession, requireSession } from '#surfaces/http/signed-in.ts'
import { formFault } from './account-faults.ts'
import { returnPath } from './login.ts'
import { passkeyScript } from './page-scripts.ts'
import { confirmation, factorForms, passwordForm } from './proof-parts.ts'

/** The page of a signed-in person, or the redirect to one: sign in first, then confirm. */
export async function confirmed(
  ctx: Context,
  c: Http,
  path: string,
  page: (session: Session) => Promise<Response>,
): Promise<Response> {
  const session = await readSession(ctx, c)
  const back = { return_to: pathTo(ctx.config, path) }
  if (session === null) return c.redirect(pathTo(ctx.config, '/login', back), 303)
  if (isConfirmed(ctx, session)) return await page(session)
  return c.redirect(pathTo(ctx.config, '/account/confirm', back), 303)
}

/** GET /account/confirm?return_to=…: asks a signed-in person again who they are. */
export async function showConfirm(ctx: Context, c: Http): Promise<Response> {
  const returnTo = returnPath(ctx.config, c.req.query('return_to') ?? null)
  const session = await readSession(ctx, c)
  if (session === null)
    return c.redirect(pathTo(ctx.config, '/login', { return_to: returnTo }), 303)
  return await answerConfirm(ctx, c, { session, returnTo })
}

/** POST /account/confirm */
export async function finishConfirm(ctx: Context, c: Http): Promise<Response> {
  const form = await readOwnForm(c, ctx.config)
  const session = await requireSession(ctx, c)
  requireFormToken(ctx, c, accountPurpose, form)
  const returnTo = returnPath(ctx.config, form.get('return_to'))
  try {
    await confirmSession(ctx, session, confirmation(form))
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return await answerConfirm(ctx, c, { session, returnTo, error })
  }
  return c.redirect(returnTo, 303)
}

async function answerConfirm(
  ctx: Context,
  c: Http,
  input: { readonly session: Session; readonly returnTo: string; readonly error?: Fault },
): Promise<Response> {
  const { session, returnTo, error } = input
  const ways = await beginConfirmation(ctx, session)
  const { status, message } = formFault(c, error)
  // The email is known here: only the password can be wrong.
  const isWrong = isFault(error, identityFaults.credentials_wrong)
  const problem = isWrong ? 'The password is wrong. Try again.' : message
  const form = {
    action: pathTo(ctx.config, '/account/confirm'),
    formToken: formToken(ctx, c, accountPurpose),
    returnTo,
    invalid: error !== undefined,
  }
  const page = {
    title: 'Confirm that it is you',
    body: html`<h1>Confirm that it is you</h1>
      <p class="lead">
        You are signed in as ${session.user.email}, and this change needs a fresh confirmation.
      </p>
      ${problemBox(problem)} ${waysOf(ctx.config, form, ways, session)}`,
    script: passkeyScript,
  }
  return await answerPage(c, ctx.config, page, status)
}

function waysOf(
  config: Config,
  form: Parameters<typeof factorForms>[0],
  { factor, password }: ConfirmationWays,
  { user }: Session,
): Html {
  if (factor !== null) return factorForms(form, factor)
  if (password) return passwordForm(form, user.email)
  const provider = pathTo(config, '/login/oidc', { return_to: form.returnTo, again: 'true' })
  return html`<p>
    <a class="button full" href="${provider}">Sign in again with ${config.oidcName}</a>
  </p>`
}
