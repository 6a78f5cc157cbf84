import { html } from 'hono/html'
import type { Config } from '#config'
import type { ShownInvitation } from '#features/members/index.ts'
import { hidden } from '#surfaces/http/form-fields.ts'
import { problemBox, type Html, type Page } from '#surfaces/http/page.ts'
import { pathTo } from '#surfaces/http/service-address.ts'
import { emailField, nameField, newPasswordField, providerButton } from './form-parts.ts'

export interface InvitationView {
  /** The invitation's own path, which its form posts to. */
  readonly path: string
  readonly invitation: ShownInvitation
  /** The person who is signed in. */
  readonly person: { readonly name: string; readonly email: string } | null
  readonly formToken: string
  readonly signOutToken: string
  readonly typed: { readonly email: string; readonly name: string }
  readonly problem: string | null
}

export function invitationPage(config: Config, view: InvitationView): Page {
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
  return html`${providerButton(config, path)}
    <form method="post" action="${path}">
      ${hidden('form_token', formToken)} ${invitedEmail(invitation.email, typed.email)}
      ${nameField(typed.name)}
      ${newPasswordField('At least 8 characters. If you have an account here, its password.')}
      <div class="actions"><button class="primary" type="submit">Join</button></div>
    </form>
    <p class="fine">Have an account? <a href="${signIn}">Sign in first</a></p>`
}

/** An invitation for one email leaves nothing to type, but password managers need to see the email. */
function invitedEmail(invited: string | null, typed: string): Html {
  if (invited === null) return emailField(typed)
  return html`<p>For <strong>${invited}</strong></p>
    <input type="hidden" name="email" value="${invited}" autocomplete="username" />`
}
