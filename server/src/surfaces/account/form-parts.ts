import { html } from 'hono/html'
import type { Config } from '#config'
import { acceptsPasswords } from '#features/identity/index.ts'
import { field, type Html } from '#surfaces/http/page.ts'
import { pathTo } from '#surfaces/http/service-address.ts'

/** The button of the OpenID provider, if one is configured. */
export function providerButton(config: Config, returnTo: string): Html | null {
  if (config.oidcIssuer === undefined) return null
  const provider = pathTo(config, '/login/oidc', { return_to: returnTo })
  return html`<a class="button full" href="${provider}">Continue with ${config.oidcName}</a>
    ${acceptsPasswords(config) ? html`<p class="or">or</p>` : null}`
}

export function emailField(value: string, invalid = false): Html {
  return field({
    name: 'email',
    label: 'Email',
    type: 'email',
    autocomplete: 'username',
    value,
    invalid,
  })
}

/** An address that the form cannot change; password managers need it. */
export function fixedEmail(email: string): Html {
  return html`<p>For <strong>${email}</strong></p>
    <input type="hidden" name="email" value="${email}" autocomplete="username" />`
}

export function nameField(value: string): Html {
  return field({
    name: 'name',
    label: 'Name',
    type: 'text',
    autocomplete: 'name',
    value,
    hint: 'Shown to the other members. Optional.',
    required: false,
  })
}

export function newPasswordField(hint: string): Html {
  return field({
    name: 'password',
    label: 'Password',
    type: 'password',
    autocomplete: 'new-password',
    hint,
  })
}
