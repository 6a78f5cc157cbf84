import { html } from 'hono/html'
import type { Config } from '#config'
import { field, hidden } from '#surfaces/http/form-fields.ts'
import { problemBox, type Page } from '#surfaces/http/page.ts'
import { pathTo } from '#surfaces/http/service-address.ts'
import { emailField, providerButton } from './form-parts.ts'

export interface LoginForm {
  readonly token: string
  readonly returnTo: string
  readonly email: string
  readonly problem: string | null
}

export function loginPage(config: Config, form: LoginForm): Page {
  const { token, returnTo, email, problem } = form
  return {
    title: 'Sign in',
    body: html`<h1>Sign in</h1>
      <p class="lead">Welcome back.</p>
      ${problemBox(problem)} ${providerButton(config, returnTo)}
      <form method="post" action="${pathTo(config, '/login')}">
        ${hidden('form_token', token)} ${hidden('return_to', returnTo)}
        ${emailField(email, problem !== null)}
        ${field({
          name: 'password',
          label: 'Password',
          type: 'password',
          autocomplete: 'current-password',
          invalid: problem !== null,
        })}
        <div class="actions"><button class="primary" type="submit">Sign in</button></div>
      </form>`,
  }
}

export function signedOutPage(config: Config): Page {
  return {
    title: 'Signed out',
    body: html`<h1>You are signed out</h1>
      <p class="lead">This browser can no longer act for you.</p>
      <p><a href="${pathTo(config, '/login')}">Sign in again</a></p>`,
  }
}

export function faultPage(config: Config, title: string, message: string): Page {
  return {
    title,
    body: html`<h1>${title}</h1>
      <p>${message}</p>
      <p class="fine"><a href="${pathTo(config, '/login')}">Go to sign-in</a></p>`,
  }
}
