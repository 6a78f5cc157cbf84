import { html } from 'hono/html'
import type { Config } from '#config'
import type { ShownInvitation } from '#features/members/index.ts'
import { field, hidden } from '#surfaces/http/form-fields.ts'
import { problemBox, type Html, type Page } from '#surfaces/http/page.ts'
import { pathTo } from '#surfaces/http/service-address.ts'

export interface InvitationView {
  /** Its own, where its form leads. */
  readonly path: string
  readonly invitation: ShownInvitation
  /** Who is signed in. */
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
  const provider = pathTo(config, '/login/oidc', { return_to: path })
  const signIn = pathTo(config, '/login', { return_to: path })
  return html`${
      config.oidcIssuer === undefined
        ? null
        : html`<a class="button full" href="${provider}">Continue with ${config.oidcName}</a>
            <p class="or">or</p>`
    }
    <form method="post" action="${path}">
      ${hidden('form_token', formToken)} ${emailField(invitation.email, typed.email)}
      ${field({
        name: 'name',
        label: 'Name',
        type: 'text',
        autocomplete: 'name',
        value: typed.name,
        hint: 'What to call you; you may leave it out.',
        required: false,
      })}
      ${field({
        name: 'password',
        label: 'Password',
        type: 'password',
        autocomplete: 'new-password',
        hint: 'At least 8 characters. If you have an account here, its password.',
      })}
      <div class="actions"><button class="primary" type="submit">Join</button></div>
    </form>
    <p class="fine">Have an account? <a href="${signIn}">Sign in first</a></p>`
}

/** One that names the e-mail leaves nothing to type; password managers want to see it all the same. */
function emailField(invited: string | null, typed: string): Html {
  if (invited === null)
    return field({
      name: 'email',
      label: 'Email',
      type: 'email',
      autocomplete: 'username',
      value: typed,
    })
  return html`<p>For <strong>${invited}</strong></p>
    <input type="hidden" name="email" value="${invited}" autocomplete="username" />`
}
