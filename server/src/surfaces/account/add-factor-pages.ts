import { html, raw } from 'hono/html'
import type { Config } from '#config'
import type { AppSecret } from '#features/second-factors/index.ts'
import { field, hidden, problemBox, type Html, type Page } from '#surfaces/http/page.ts'
import { pathTo } from '#surfaces/http/service-address.ts'
import { copyScript, passkeyScript } from './page-scripts.ts'
import { passkeyForm } from './proof-parts.ts'

/** GET /account/second-factor: which kind to add. */
export function choicePage(
  config: Config,
  view: {
    readonly returnTo: string
    readonly hasPasskeys: boolean
    /** The workspace that requires a second factor of this owner. */
    readonly requiredBy: string | null
  },
): Page {
  const { returnTo, hasPasskeys, requiredBy } = view
  const query = { return_to: returnTo }
  return {
    title: 'Add a second factor',
    body: html`<h1>Add a second factor</h1>
      ${
        requiredBy === null
          ? null
          : html`<p class="warning" role="status">
              The workspace “${requiredBy}” requires a second factor of its owners. Add one to work
              in it.
            </p>`
      }
      <p class="lead">After your password, sign-in then also asks for something that you have.</p>
      ${
        hasPasskeys
          ? html`<p>
                <a
                  class="button full"
                  href="${pathTo(config, '/account/second-factor/passkey', query)}"
                  >Add a passkey</a
                >
              </p>
              <p class="hint">Your fingerprint, face or PIN on this device, or a security key.</p>
              <p class="or">or</p>`
          : html`<p class="hint">
              Passkeys need https and a host name. Until then, use an authenticator app.
            </p>`
      }
      <p>
        <a class="button full" href="${pathTo(config, '/account/second-factor/app', query)}"
          >Add an authenticator app</a
        >
      </p>
      <p class="hint">An app on your phone shows six digits that change every 30 seconds.</p>
      <p class="fine"><a href="${pathTo(config, '/account')}">Your account</a></p>`,
  }
}

interface AddForm {
  readonly formToken: string
  readonly returnTo: string
  readonly problem: string | null
}

/** GET /account/second-factor/app */
export function appPage(config: Config, form: AddForm, app: AppSecret & { qr: string }): Page {
  const { formToken, returnTo, problem } = form
  return {
    title: 'Add an authenticator app',
    body: html`<h1>Add an authenticator app</h1>
      ${problemBox(problem)}
      <ol class="steps">
        <li>Scan this code with the app.</li>
        <li>Enter the six digits that the app shows.</li>
      </ol>
      <div class="qr" role="img" aria-label="QR code for the authenticator app">${raw(app.qr)}</div>
      <details>
        <summary>Cannot scan the code?</summary>
        <p class="hint">Type this key into the app:</p>
        <p><code>${app.secret.replace(/(.{4})(?=.)/g, '$1 ')}</code></p>
      </details>
      <form method="post" action="${pathTo(config, '/account/second-factor/app')}">
        ${hidden('form_token', formToken)} ${hidden('return_to', returnTo)}
        ${field({
          name: 'code',
          label: 'Code',
          type: 'text',
          autocomplete: 'one-time-code',
          invalid: problem !== null,
        })}
        ${nameOf('Authenticator app', 'name')}
        <div class="actions"><button class="primary" type="submit">Add the app</button></div>
      </form>`,
  }
}

/** GET /account/second-factor/passkey */
export function passkeyPage(
  config: Config,
  { formToken, returnTo, problem }: AddForm,
  passkey: { readonly options: object; readonly name: string },
): Page {
  const action = pathTo(config, '/account/second-factor/passkey')
  const ceremony = {
    ceremony: 'create',
    options: passkey.options,
    button: 'Create a passkey',
    fields: nameOf(passkey.name, 'name'),
  } as const
  return {
    title: 'Add a passkey',
    body: html`<h1>Add a passkey</h1>
      <p class="lead">Your browser asks for your fingerprint, face, PIN or security key.</p>
      ${problemBox(problem)} ${passkeyForm({ action, formToken, returnTo }, ceremony)}`,
    script: passkeyScript,
  }
}

function nameOf(value: string, name: string): Html {
  return field({
    name,
    label: 'Name',
    type: 'text',
    autocomplete: 'off',
    value,
    hint: 'The name that your account page shows.',
  })
}

/** Shown once, in the answer to the form that created them. */
export function recoveryCodesPage(
  config: Config,
  codes: readonly string[],
  returnTo: string,
): Page {
  const text = `${codes.join('\n')}\n`
  return {
    title: 'Recovery codes',
    script: copyScript,
    body: html`<h1>Save your recovery codes</h1>
      <p class="lead">
        If you lose your device, a code replaces your second factor. Each works once. They are shown
        only now.
      </p>
      <ul class="codes">
        ${codes.map((code) => html`<li><code>${code}</code></li>`)}
      </ul>
      <div class="actions">
        <button type="button" hidden data-copy="${text}" data-copied="Copied">Copy</button>
        <a
          class="button"
          download="parley-recovery-codes.txt"
          href="data:text/plain;charset=utf-8,${encodeURIComponent(text)}"
          >Download</a
        >
      </div>
      <p class="hint">Keep them apart from your password, for example on paper.</p>
      <div class="actions"><a class="button primary" href="${returnTo}">I have saved them</a></div>
      <p class="fine"><a href="${pathTo(config, '/account')}">Your account</a></p>`,
  }
}
