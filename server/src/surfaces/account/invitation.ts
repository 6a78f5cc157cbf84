import { html } from 'hono/html'
import type { Config } from '#config'
import { acceptsPasswords, identityFaults, type Session } from '#features/identity/index.ts'
import {
  acceptByPassword,
  acceptInvitation,
  hasAccepted,
  memberFaults,
  readInvitation,
  type ShownInvitation,
} from '#features/members/index.ts'
import { Fault, isFault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { accountPurpose, formToken, requireFormToken } from '#surfaces/http/form-token.ts'
import { answerPage, hidden, problemBox, type Html, type Page } from '#surfaces/http/page.ts'
import { readOwnForm } from '#surfaces/http/read-form.ts'
import { pathTo } from '#surfaces/http/service-address.ts'
import { readSession, visitorOf, writeSession } from '#surfaces/http/signed-in.ts'
import { formFault } from './account-faults.ts'
import { emailField, nameField, newPasswordField, providerButton } from './form-parts.ts'

const purpose = 'invitation'

/** GET /invitations/{token}: link previews do no harm, because opening the page changes nothing. */
export async function showInvitation(ctx: Context, c: Http): Promise<Response> {
  const session = await readSession(ctx, c)
  if (session !== null && (await hasAccepted(ctx, tokenOf(c), session.user.id)))
    return c.redirect(pathTo(ctx.config, '/'), 303)
  return await answerInvitation(ctx, c, { session, typed: { email: '', name: '' } })
}

/** POST /invitations/{token}: a person who is not signed in enters an email and a password. */
export async function joinByInvitation(ctx: Context, c: Http): Promise<Response> {
  const form = await readOwnForm(c, ctx.config)
  const session = await readSession(ctx, c)
  requireFormToken(ctx, c, purpose, form)
  const typed = { email: form.get('email') ?? '', name: form.get('name') ?? '' }
  try {
    if (session !== null) await acceptInvitation(ctx, tokenOf(c), session.user)
    else {
      const given = { ...typed, password: form.get('password') ?? '' }
      writeSession(ctx, c, await acceptByPassword(ctx, tokenOf(c), given, visitorOf(ctx, c)))
    }
  } catch (error) {
    if (!isAboutThisPerson(error)) throw error
    return await answerInvitation(ctx, c, { session, typed, error })
  }
  return c.redirect(pathTo(ctx.config, '/'), 303)
}

function tokenOf(c: Http): string {
  return c.req.param('token') ?? ''
}

function isAboutThisPerson(error: unknown): error is Fault {
  return error instanceof Fault && error.code !== memberFaults.invitation_invalid.code
}

interface Answer {
  readonly session: Session | null
  readonly typed: { readonly email: string; readonly name: string }
  readonly error?: Fault
}

async function answerInvitation(ctx: Context, c: Http, answer: Answer): Promise<Response> {
  const { session, typed, error } = answer
  const token = tokenOf(c)
  const invitation = await readInvitation(ctx, token)
  const { status, message } = formFault(c, error)
  const page = invitationPage(ctx.config, {
    path: pathTo(ctx.config, `/invitations/${token}`),
    invitation,
    person: session?.user ?? null,
    formToken: formToken(ctx, c, purpose),
    signOutToken: formToken(ctx, c, accountPurpose),
    typed,
    // The same whether or not an account exists: the holder of the link learns nothing about other
    // people.
    problem: isFault(error, identityFaults.credentials_wrong)
      ? 'That did not work. If you already have an account with this email, enter its password.'
      : message,
  })
  return await answerPage(c, ctx.config, page, status)
}

interface InvitationView {
  /** The invitation's path, to which its form posts. */
  readonly path: string
  readonly invitation: ShownInvitation
  /** The person who is signed in. */
  readonly person: { readonly name: string; readonly email: string } | null
  readonly formToken: string
  readonly signOutToken: string
  readonly typed: { readonly email: string; readonly name: string }
  readonly problem: string | null
}

function invitationPage(config: Config, view: InvitationView): Page {
  const { invitation, person, problem } = view
  const { workspace, invitedBy, role, email } = invitation
  const isForAnother = person !== null && email !== null && email !== person.email
  return {
    title: 'Invitation',
    body: html`<h1>Join ${workspace.name}</h1>
      <p class="lead">${invitedBy.name} invites you to this workspace, as ${role}.</p>
      ${problemBox(problem)}
      ${
        person === null
          ? newcomer(config, view)
          : isForAnother
            ? forAnother(config, view)
            : member(view)
      }`,
  }
}

function member({ path, person, formToken }: InvitationView): Html {
  return html`<p>You are signed in as ${person?.email}.</p>
    <form method="post" action="${path}">
      ${hidden('form_token', formToken)}
      <div class="actions"><button class="primary" type="submit">Join</button></div>
    </form>`
}

function forAnother(config: Config, { path, invitation, person, signOutToken }: InvitationView) {
  return html`<p>
      This invitation is for ${invitation.email}, and you are signed in as ${person?.email}.
    </p>
    <form method="post" action="${pathTo(config, '/sign-out')}">
      ${hidden('form_token', signOutToken)} ${hidden('return_to', path)}
      <div class="actions"><button class="primary" type="submit">Sign out</button></div>
    </form>`
}

function newcomer(config: Config, view: InvitationView): Html {
  const { path, invitation, formToken, typed } = view
  const signIn = pathTo(config, '/login', { return_to: path })
  if (!acceptsPasswords(config)) return html`${providerButton(config, path)}`
  return html`${providerButton(config, path)}
    <form method="post" action="${path}">
      ${hidden('form_token', formToken)} ${invitedEmail(invitation.email, typed.email)}
      ${nameField(typed.name)}
      ${newPasswordField('At least 10 characters. If you have an account here, its password.')}
      <div class="actions"><button class="primary" type="submit">Join</button></div>
    </form>
    <p class="fine">Have an account? <a href="${signIn}">Sign in first</a></p>`
}

/** An invitation for one email needs no email field, but password managers need the email. */
function invitedEmail(invited: string | null, typed: string): Html {
  if (invited === null) return emailField(typed)
  return html`<p>For <strong>${invited}</strong></p>
    <input type="hidden" name="email" value="${invited}" autocomplete="username" />`
}
