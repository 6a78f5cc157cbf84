import { html } from 'hono/html'
import {
  completeSetup,
  identityFaults,
  isWhole,
  readSetupLink,
  requirePasswords,
} from '#features/identity/index.ts'
import {
  acceptInvitation,
  memberFaults,
  readInvitation,
  type ShownInvitation,
} from '#features/members/index.ts'
import { Fault, isFault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { formToken, requireFormToken } from '#surfaces/http/form-token.ts'
import { answerPage, hidden, problemBox, type Html, type Page } from '#surfaces/http/page.ts'
import { readOwnForm } from '#surfaces/http/read-form.ts'
import { pathTo } from '#surfaces/http/service-address.ts'
import { visitorOf, writeSession } from '#surfaces/http/signed-in.ts'
import { formFault } from './account-faults.ts'
import { emailField, fixedEmail, nameField, newPasswordField } from './form-parts.ts'

const purpose = 'setup'

interface Typed {
  readonly email: string
  readonly name: string
}

interface SetupForm {
  readonly formToken: string
  readonly token: string
  /** The token of an invitation that the person accepts with the set-up; empty if there is none. */
  readonly invitation: string
  /** The account's address; null if the person enters one. */
  readonly email: string | null
  /** What the set-up joins, if it does. */
  readonly joins: ShownInvitation | null
  readonly typed: Typed
}

/** GET /setup?token=…: opening the page does not use the link, so link previews do no harm. */
export async function showSetup(ctx: Context, c: Http): Promise<Response> {
  requirePasswords(ctx.config)
  const token = c.req.query('token') ?? ''
  const invitation = c.req.query('invitation') ?? ''
  try {
    const { name } = await readSetupLink(ctx, token)
    return await answerSetup(ctx, c, { token, invitation, typed: { email: '', name } })
  } catch (error) {
    if (invitation === '' || !isFault(error, identityFaults.setup_link_invalid)) throw error
    // The person may have an account now, and the invitation may still be open.
    return c.redirect(pathToInvitation(ctx, invitation), 303)
  }
}

/** POST /setup */
export async function finishSetup(ctx: Context, c: Http): Promise<Response> {
  const form = await readOwnForm(c, ctx.config)
  requireFormToken(ctx, c, purpose, form)
  const token = form.get('token') ?? ''
  const invitation = form.get('invitation') ?? ''
  const typed = { email: form.get('email') ?? '', name: form.get('name') ?? '' }
  const given = { ...typed, password: form.get('password') ?? '' }
  try {
    const result = await completeSetup(ctx, token, given, visitorOf(ctx, c))
    const person = isWhole(result) ? result.session.user : null
    const path = invitation === '' ? pathTo(ctx.config, '/') : await join(ctx, invitation, person)
    return c.redirect(writeSession(ctx, c, result, path), 303)
  } catch (error) {
    if (!isAboutWhatWasTyped(error)) throw error
    return await answerSetup(ctx, c, { token, invitation, typed, error })
  }
}

/** @returns the page where the person continues: the workspace, or the invitation if it is not accepted */
async function join(
  ctx: Context,
  invitation: string,
  person: Parameters<typeof acceptInvitation>[2] | null,
): Promise<string> {
  if (person === null) return pathToInvitation(ctx, invitation)
  try {
    const { workspaceId } = await acceptInvitation(ctx, invitation, person)
    return pathTo(ctx.config, '/agents', { workspace: workspaceId })
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return pathToInvitation(ctx, invitation)
  }
}

function pathToInvitation({ config }: Context, invitation: string): string {
  return pathTo(config, `/invitations/${encodeURIComponent(invitation)}`)
}

function isAboutWhatWasTyped(error: unknown): error is Fault {
  return error instanceof Fault && error.code !== identityFaults.setup_link_invalid.code
}

async function answerSetup(
  ctx: Context,
  c: Http,
  input: Pick<SetupForm, 'token' | 'invitation' | 'typed'> & { readonly error?: Fault },
): Promise<Response> {
  const { token, error, ...kept } = input
  const { email } = await readSetupLink(ctx, token)
  const joins = await readJoined(ctx, kept.invitation, email)
  const { status, message } = formFault(c, error)
  const form = { formToken: formToken(ctx, c, purpose), token, email, joins, ...kept }
  const page = setupPage(pathTo(ctx.config, '/setup'), form, message)
  return await answerPage(c, ctx.config, page, status)
}

/** The invitation that the set-up accepts: null if there is none, it has ended, or is for another person. */
async function readJoined(
  ctx: Context,
  token: string,
  email: string | null,
): Promise<ShownInvitation | null> {
  if (token === '') return null
  try {
    const invitation = await readInvitation(ctx, token)
    const isForAnother = email !== null && invitation.email !== null && invitation.email !== email
    return isForAnother ? null : invitation
  } catch (error) {
    if (!isFault(error, memberFaults.invitation_invalid)) throw error
    return null
  }
}

function setupPage(action: string, form: SetupForm, problem: string | null): Page {
  const { email, joins, typed } = form
  return {
    title: 'Set up your account',
    body: html`<h1>Set up your account</h1>
      <p class="lead">
        ${
          email === null
            ? 'You are the owner of this Parley instance. Enter your email and name, and choose a password.'
            : 'An operator of this service created this account for you. Choose a password.'
        }
      </p>
      ${joins && joinedLine(joins)} ${problemBox(problem)}
      <form method="post" action="${action}">
        ${hidden('form_token', form.formToken)} ${hidden('token', form.token)}
        ${hidden('invitation', form.invitation)}
        ${email === null ? emailField(typed.email) : fixedEmail(email)} ${nameField(typed.name)}
        ${newPasswordField('At least 10 characters. A few words are easier to remember.')}
        <div class="actions"><button class="primary" type="submit">Finish set-up</button></div>
      </form>`,
  }
}

function joinedLine({ workspace, invitedBy, role }: ShownInvitation): Html {
  return html`<p>
    ${invitedBy.name} invites you to the workspace <strong>${workspace.name}</strong>, as ${role}.
    You join it when you finish the set-up.
  </p>`
}
