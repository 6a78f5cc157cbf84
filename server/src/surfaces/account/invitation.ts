import { html } from 'hono/html'
import type { Config } from '#config'
import {
  acceptsPasswords,
  identityFaults,
  isWhole,
  type Session,
} from '#features/identity/index.ts'
import {
  acceptByPassword,
  acceptInvitation,
  joinedWorkspace,
  mailJoinLink,
  memberFaults,
  readInvitation,
  type ShownInvitation,
} from '#features/members/index.ts'
import { Fault, isFault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { accountPurpose, formToken, requireFormToken } from '#surfaces/http/form-token.ts'
import { answerPage, field, hidden, problemBox, type Html, type Page } from '#surfaces/http/page.ts'
import { readOwnForm } from '#surfaces/http/read-form.ts'
import { pathTo } from '#surfaces/http/service-address.ts'
import { readSession, visitorOf, writeSession } from '#surfaces/http/signed-in.ts'
import { formFault } from './account-faults.ts'
import {
  emailField,
  fixedEmail,
  nameField,
  newPasswordField,
  providerButton,
} from './form-parts.ts'

const purpose = 'invitation'

/** GET /invitations/{token}: link previews do no harm, because opening the page changes nothing. */
export async function showInvitation(ctx: Context, c: Http): Promise<Response> {
  const session = await readSession(ctx, c)
  const joined = session && (await joinedWorkspace(ctx, tokenOf(c), session.user.id))
  if (joined !== null) return c.redirect(pathToWorkspace(ctx.config, joined), 303)
  const proof = c.req.query('proof')
  return await answerInvitation(ctx, c, { session, typed: { email: '', name: '' }, proof })
}

/** POST /invitations/{token}: a person who is not signed in enters an email and a password. */
export async function joinByInvitation(ctx: Context, c: Http): Promise<Response> {
  const form = await readOwnForm(c, ctx.config)
  const session = await readSession(ctx, c)
  requireFormToken(ctx, c, purpose, form)
  const typed = { email: form.get('email') ?? '', name: form.get('name') ?? '' }
  const proof = form.get('proof') ?? undefined
  try {
    if (session === null)
      return await joinAsStranger(ctx, c, { ...typed, proof, password: form.get('password') ?? '' })
    const { workspaceId } = await acceptInvitation(ctx, tokenOf(c), session.user)
    return c.redirect(pathToWorkspace(ctx.config, workspaceId), 303)
  } catch (error) {
    if (!isAboutThisPerson(error)) throw error
    return await answerInvitation(ctx, c, { session, typed, proof, error })
  }
}

/** POST /invitations/{token}/mail: mails a newcomer a link that proves their address. */
export async function mailProof(ctx: Context, c: Http): Promise<Response> {
  const form = await readOwnForm(c, ctx.config)
  requireFormToken(ctx, c, purpose, form)
  const typed = { email: form.get('to') ?? '', name: '' }
  try {
    const { address } = visitorOf(ctx, c)
    const { email } = await mailJoinLink(ctx, tokenOf(c), { email: typed.email, address })
    const body = html`<h1>Check your mail</h1>
      <p>We mail a link to <strong>${email}</strong>. Open it within a day to join.</p>
      <p class="fine">No mail? Check the address and the spam folder, then try again.</p>`
    return await answerPage(c, ctx.config, { title: 'Check your mail', body })
  } catch (error) {
    if (!isAboutThisPerson(error)) throw error
    return await answerInvitation(ctx, c, { session: null, typed, error })
  }
}

/** A person with a second factor comes back after the second step and joins then. */
async function joinAsStranger(
  ctx: Context,
  c: Http,
  given: Parameters<typeof acceptByPassword>[2],
): Promise<Response> {
  const token = tokenOf(c)
  const result = await acceptByPassword(ctx, token, given, visitorOf(ctx, c))
  const joined = isWhole(result) ? await joinedWorkspace(ctx, token, result.session.user.id) : null
  const returnTo =
    joined === null
      ? pathTo(ctx.config, `/invitations/${token}`)
      : pathToWorkspace(ctx.config, joined)
  return c.redirect(writeSession(ctx, c, result, returnTo), 303)
}

/** The agents of the workspace in the dashboard. */
function pathToWorkspace(config: Config, workspace: string): string {
  return pathTo(config, '/agents', { workspace })
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
  readonly proof?: string | undefined
  readonly error?: Fault
}

async function answerInvitation(ctx: Context, c: Http, answer: Answer): Promise<Response> {
  const { session, typed, error, proof } = answer
  const token = tokenOf(c)
  const invitation = await readInvitation(ctx, token, proof)
  const { status, message } = formFault(c, error)
  const page = invitationPage(ctx.config, {
    path: pathTo(ctx.config, `/invitations/${token}`),
    invitation,
    person: session?.user ?? null,
    formToken: formToken(ctx, c, purpose),
    signOutToken: formToken(ctx, c, accountPurpose),
    typed,
    proof: proof ?? '',
    canMail: ctx.mail !== null,
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
  /** The token of a mailed link that proves an address; empty if there is none. */
  readonly proof: string
  readonly canMail: boolean
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

/** With a link that was mailed: a new account, or the password of an existing one. */
function newcomer(config: Config, view: InvitationView): Html {
  const { path, invitation, formToken, typed, proof } = view
  const { provenEmail } = invitation
  if (!acceptsPasswords(config)) return html`${providerButton(config, path)}`
  if (provenEmail === null) return stranger(config, view)
  return html`${providerButton(config, path)}
    <form method="post" action="${path}">
      ${hidden('form_token', formToken)} ${hidden('proof', proof)} ${fixedEmail(provenEmail)}
      ${nameField(typed.name)}
      ${newPasswordField('At least 10 characters. If you already have an account here, enter its password.')}
      <div class="actions"><button class="primary" type="submit">Join</button></div>
    </form>
    ${signInFirst(config, path)}`
}

/** With a link that someone passed on: only an existing account, because it proves no address. */
function stranger(config: Config, view: InvitationView): Html {
  const { path, invitation, formToken, typed, canMail } = view
  const email = invitation.email === null ? emailField(typed.email) : fixedEmail(invitation.email)
  return html`${providerButton(config, path)}
    <form method="post" action="${path}">
      ${hidden('form_token', formToken)} ${email}
      ${field({
        name: 'password',
        label: 'Password',
        type: 'password',
        autocomplete: 'current-password',
        hint: 'The password of your account here.',
      })}
      <div class="actions"><button class="primary" type="submit">Join</button></div>
    </form>
    ${signInFirst(config, path)}
    <h2>No account yet?</h2>
    ${canMail ? proofForm(view) : askOperator}`
}

const askOperator = html`<p>
  Ask an operator of this service for a set-up link, with which you create your account. Then open
  this invitation again.
</p>`

function proofForm({ path, invitation, formToken, typed }: InvitationView): Html {
  return html`<p>We mail you a link to confirm that the address is yours.</p>
    <form method="post" action="${path}/mail">
      ${hidden('form_token', formToken)}
      ${
        invitation.email === null
          ? field({
              name: 'to',
              label: 'Your email',
              type: 'email',
              autocomplete: 'email',
              value: typed.email,
            })
          : null
      }
      <div class="actions"><button type="submit">Mail me a link</button></div>
    </form>`
}

function signInFirst(config: Config, path: string): Html {
  const signIn = pathTo(config, '/login', { return_to: path })
  return html`<p class="fine">Have an account? <a href="${signIn}">Sign in first</a></p>`
}
