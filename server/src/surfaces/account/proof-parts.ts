import { html } from 'hono/html'
import type { Confirmation } from '#features/identity/index.ts'
import type { FactorProof, ProofWays } from '#features/second-factors/index.ts'
import { field, hidden, type Html } from '#surfaces/http/page.ts'

interface ProofForm {
  readonly action: string
  readonly formToken: string
  readonly returnTo: string
  readonly invalid: boolean
}

/** The forms with which a person proves who they are: their passkey, then a code. */
export function factorForms(form: ProofForm, { hasApp, passkey }: ProofWays): Html {
  return html`${
    passkey === null
      ? null
      : html`${passkeyForm(form, { ceremony: 'get', options: passkey, button: 'Use a passkey' })}
          <p class="or">or</p>`
  }
  ${codeForm(form, hasApp)}`
}

interface Ceremony {
  readonly ceremony: 'create' | 'get'
  readonly options: object
  readonly button: string
  readonly fields?: Html
}

/** `passkey.js` fills in the answer of the browser. */
export function passkeyForm(
  { action, formToken, returnTo }: Omit<ProofForm, 'invalid'>,
  { ceremony, options, button, fields }: Ceremony,
): Html {
  return html`<form
    method="post"
    action="${action}"
    data-passkey="${ceremony}"
    data-options="${JSON.stringify(options)}"
    data-known="This passkey is already in your account. Choose another device."
    data-failed="The browser did not complete this. Try again, or confirm in another way."
  >
    ${hidden('form_token', formToken)} ${hidden('return_to', returnTo)} ${hidden('answer', '')}
    ${fields ?? null}
    <p class="problem" role="alert" data-problem hidden></p>
    <div class="actions"><button class="primary" type="submit">${button}</button></div>
  </form>`
}

function codeForm(form: ProofForm, hasApp: boolean): Html {
  const hint = hasApp
    ? 'The six digits that your authenticator app shows, or a recovery code.'
    : 'One of the recovery codes that you saved.'
  return html`<form method="post" action="${form.action}">
    ${hidden('form_token', form.formToken)} ${hidden('return_to', form.returnTo)}
    ${field({
      name: 'code',
      label: hasApp ? 'Code' : 'Recovery code',
      type: 'text',
      autocomplete: 'one-time-code',
      hint,
      invalid: form.invalid,
    })}
    <div class="actions"><button type="submit">Continue</button></div>
  </form>`
}

export function passwordForm(form: ProofForm, email: string): Html {
  return html`<form method="post" action="${form.action}">
    ${hidden('form_token', form.formToken)} ${hidden('return_to', form.returnTo)}
    <input type="hidden" name="email" value="${email}" autocomplete="username" />
    ${field({
      name: 'password',
      label: 'Password',
      type: 'password',
      autocomplete: 'current-password',
      invalid: form.invalid,
    })}
    <div class="actions"><button class="primary" type="submit">Continue</button></div>
  </form>`
}

/** What a person sent in one of the forms. */
export function factorProof(form: URLSearchParams): FactorProof {
  const answer = form.get('answer') ?? ''
  if (answer !== '') return { kind: 'passkey', answer }
  return { kind: 'code', code: form.get('code') ?? '' }
}

export function confirmation(form: URLSearchParams): Confirmation {
  const password = form.get('password')
  return password === null ? factorProof(form) : { kind: 'password', password }
}
