import { html } from 'hono/html'
import {
  acceptsPasswords,
  confirmEmailChange,
  findUser,
  identityFaults,
  isConfirmed,
  readEmailLink,
  readUndoLink,
  requestEmailChange,
  undoEmailChange,
  type Session,
} from '#features/identity/index.ts'
import { Fault, isFault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { accountPurpose, formToken, requireFormToken } from '#surfaces/http/form-token.ts'
import { answerPage, type Html } from '#surfaces/http/page.ts'
import { readOwnForm } from '#surfaces/http/read-form.ts'
import { pathTo } from '#surfaces/http/service-address.ts'
import { readSession, requireSession } from '#surfaces/http/signed-in.ts'
import { formFault } from './account-faults.ts'
import { confirmPage, emailPage, undoPage } from './email-pages.ts'

const undoPurpose = 'undo-email-change'

/** GET /account/email */
export async function showEmail(ctx: Context, c: Http): Promise<Response> {
  const session = await readSession(ctx, c)
  if (session === null) return signInFirst(ctx, c, pathTo(ctx.config, '/account/email'))
  if (await mustConfirm(ctx, session)) return confirmFirst(ctx, c)
  return await answerEmail(ctx, c, session, '')
}

/** POST /account/email: mails a link to the new address. */
export async function requestEmail(ctx: Context, c: Http): Promise<Response> {
  const form = await readOwnForm(c, ctx.config)
  const session = await requireSession(ctx, c)
  requireFormToken(ctx, c, accountPurpose, form)
  if (await mustConfirm(ctx, session)) return confirmFirst(ctx, c)
  const given = { email: form.get('email') ?? '', password: form.get('current') ?? '' }
  try {
    const { email } = await requestEmailChange(ctx, session, given)
    const body = html`<h1>Check your mail</h1>
      <p>We mail a link to <strong>${email}</strong>. Open it within a day in this browser.</p>
      <p>Until then, your email stays ${session.user.email}.</p>`
    return await answerPage(c, ctx.config, { title: 'Check your mail', body })
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return await answerEmail(ctx, c, session, given.email, error)
  }
}

/** GET /account/email/confirm?token=…: changes nothing, so link previews do no harm. */
export async function showConfirmation(ctx: Context, c: Http): Promise<Response> {
  const token = c.req.query('token') ?? ''
  const session = await readSession(ctx, c)
  if (session === null)
    return signInFirst(ctx, c, pathTo(ctx.config, '/account/email/confirm', { token }))
  const { email } = await readEmailLink(ctx, session, token)
  const view = { email, token, formToken: formToken(ctx, c, accountPurpose) }
  return await answerPage(c, ctx.config, confirmPage(ctx.config, view))
}

/** POST /account/email/confirm */
export async function confirmEmail(ctx: Context, c: Http): Promise<Response> {
  const form = await readOwnForm(c, ctx.config)
  const session = await requireSession(ctx, c)
  requireFormToken(ctx, c, accountPurpose, form)
  await confirmEmailChange(ctx, session, form.get('token') ?? '')
  return c.redirect(pathTo(ctx.config, '/account'), 303)
}

/** GET /account/email/undo?token=…: for the former address, without signing in. */
export async function showUndo(ctx: Context, c: Http): Promise<Response> {
  return await answerUndo(ctx, c, c.req.query('token') ?? '')
}

/** POST /account/email/undo */
export async function undoEmail(ctx: Context, c: Http): Promise<Response> {
  const form = await readOwnForm(c, ctx.config)
  requireFormToken(ctx, c, undoPurpose, form)
  const token = form.get('token') ?? ''
  try {
    const { email } = await undoEmailChange(ctx, token, form.get('password') ?? '')
    return await answerPage(c, ctx.config, { title: 'Undone', body: undone(ctx, email) })
  } catch (error) {
    if (!(error instanceof Fault) || isFault(error, identityFaults.email_link_invalid)) throw error
    return await answerUndo(ctx, c, token, error)
  }
}

function undone({ config }: Context, email: string): Html {
  return html`<h1>The change is undone</h1>
    <p>
      Your email is ${email} again. Everyone was signed out of the account; its developer keys and
      connected apps have ended.
    </p>
    <p><a href="${pathTo(config, '/login')}">Sign in</a></p>`
}

function signInFirst({ config }: Context, c: Http, returnTo: string): Response {
  return c.redirect(pathTo(config, '/login', { return_to: returnTo }), 303)
}

/** The form has no current password to ask for: then a stolen open session must not be enough. */
async function mustConfirm(ctx: Context, session: Session): Promise<boolean> {
  return !isConfirmed(ctx, session) && !(await hasUsablePassword(ctx, session))
}

async function hasUsablePassword(ctx: Context, { user }: Session): Promise<boolean> {
  return acceptsPasswords(ctx.config) && (await findUser(ctx, user.id))?.hasPassword === true
}

function confirmFirst({ config }: Context, c: Http): Response {
  const query = { return_to: pathTo(config, '/account/email') }
  return c.redirect(pathTo(config, '/account/confirm', query), 303)
}

async function answerEmail(
  ctx: Context,
  c: Http,
  { user }: Session,
  typed: string,
  error?: Fault,
): Promise<Response> {
  const { status, message } = formFault(c, error)
  // The email is known here: only the password can be wrong.
  const isWrong = isFault(error, identityFaults.credentials_wrong)
  const person = await findUser(ctx, user.id)
  const page = emailPage(ctx.config, {
    email: user.email,
    isProven: person?.emailProof !== 'none',
    hasPassword: person?.hasPassword === true && acceptsPasswords(ctx.config),
    canMail: ctx.mail !== null,
    typed,
    formToken: formToken(ctx, c, accountPurpose),
    problem: isWrong ? 'That is not your current password. Try again.' : message,
  })
  return await answerPage(c, ctx.config, page, status)
}

async function answerUndo(ctx: Context, c: Http, token: string, error?: Fault): Promise<Response> {
  const { status, message: problem } = formFault(c, error)
  const link = await readUndoLink(ctx, token)
  const view = { ...link, token, problem, formToken: formToken(ctx, c, undoPurpose) }
  return await answerPage(c, ctx.config, undoPage(ctx.config, view), status)
}
