import { html } from 'hono/html'
import type { Config } from '#config'
import { field, hidden, problemBox, type Html, type Page } from '#surfaces/http/page.ts'
import { pathTo } from '#surfaces/http/service-address.ts'
import { newPasswordField } from './form-parts.ts'

interface EmailView {
  readonly email: string
  readonly isProven: boolean
  readonly hasPassword: boolean
  readonly canMail: boolean
  readonly typed: string
  readonly formToken: string
  readonly problem: string | null
}

export function emailPage(config: Config, view: EmailView): Page {
  const { email, isProven, canMail } = view
  return {
    title: 'Your email',
    body: html`<h1>Your email</h1>
      <p class="lead">${email}</p>
      ${
        isProven
          ? null
          : html`<p>This address is not confirmed yet. Enter it below to confirm it.</p>`
      }
      ${canMail ? changeForm(config, view) : askOperator}
      <p class="fine"><a href="${pathTo(config, '/account')}">Back to your account</a></p>`,
  }
}

const askOperator = html`<p>
  This service cannot send mail, so only an operator can change your email: ask them.
</p>`

function changeForm(config: Config, view: EmailView): Html {
  const { isProven, email, typed, hasPassword, formToken, problem } = view
  return html`<p>
      We mail a link to the new address. Open it in this browser to change your email. Your old
      address gets a notice.
    </p>
    ${problemBox(problem)}
    <form method="post" action="${pathTo(config, '/account/email')}">
      ${hidden('form_token', formToken)}
      ${field({
        name: 'email',
        label: 'New email',
        type: 'email',
        autocomplete: 'email',
        value: typed !== '' || isProven ? typed : email,
      })}
      ${
        hasPassword
          ? field({
              name: 'current',
              label: 'Current password',
              type: 'password',
              autocomplete: 'current-password',
            })
          : null
      }
      <div class="actions"><button class="primary" type="submit">Mail me a link</button></div>
    </form>`
}

interface LinkView {
  readonly email: string
  readonly token: string
  readonly formToken: string
}

export function confirmPage(config: Config, { email, token, formToken }: LinkView): Page {
  return {
    title: 'Confirm your email',
    body: html`<h1>Confirm your email</h1>
      <p>From now on, you sign in with <strong>${email}</strong>.</p>
      <form method="post" action="${pathTo(config, '/account/email/confirm')}">
        ${hidden('form_token', formToken)} ${hidden('token', token)}
        <div class="actions"><button class="primary" type="submit">Confirm</button></div>
      </form>`,
  }
}

interface UndoView extends LinkView {
  readonly needsPassword: boolean
  readonly problem: string | null
}

export function undoPage(config: Config, view: UndoView): Page {
  const { email, token, formToken, needsPassword, problem } = view
  return {
    title: 'Undo the change of email',
    body: html`<h1>Undo the change of email</h1>
      <p>
        Your account gets the email <strong>${email}</strong> again. Everyone is signed out of it,
        and its developer keys and connected apps end.
      </p>
      ${problemBox(problem)}
      <form method="post" action="${pathTo(config, '/account/email/undo')}">
        ${hidden('form_token', formToken)} ${hidden('token', token)}
        <input type="hidden" name="email" value="${email}" autocomplete="username" />
        ${needsPassword ? newPasswordField('A new password, at least 10 characters.') : null}
        <div class="actions"><button class="primary" type="submit">Undo the change</button></div>
      </form>`,
  }
}
