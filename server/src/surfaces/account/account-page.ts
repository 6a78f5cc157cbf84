import { html } from 'hono/html'
import type { Config } from '#config'
import type { ConnectedApp } from '#features/grants/index.ts'
import type { Session } from '#features/identity/index.ts'
import type { SecondFactor } from '#features/second-factors/index.ts'
import { field, hidden, problemBox, type Html, type Page } from '#surfaces/http/page.ts'
import { minuteOf, timesScript } from '#surfaces/http/page-times.ts'
import { pathTo } from '#surfaces/http/service-address.ts'
import { browserName } from './browser-name.ts'
import { nameField } from './form-parts.ts'

export interface AccountView {
  readonly current: Session
  readonly sessions: readonly Session[]
  readonly connectedApps: readonly ConnectedApp[]
  readonly factors: readonly SecondFactor[]
  /** Unused recovery codes. */
  readonly codesLeft: number
  /** Whether changes of second factors need no confirmation now. */
  readonly confirmed: boolean
  readonly token: string
  /** False for a person who only signs in with the OpenID provider. */
  readonly hasPassword: boolean
  readonly problem: string | null
  /** What was changed: `password` or `name`; any other value for nothing. */
  readonly changed: string | null
}

export function accountPage(config: Config, view: AccountView): Page {
  const { current, token } = view
  return {
    title: 'Your account',
    wide: true,
    script: timesScript,
    body: html`<p><a href="${pathTo(config, '/')}">Back to Parley</a></p>
      <h1>${current.user.name}</h1>
      <p class="lead">
        ${current.user.email}
        <a href="${pathTo(config, '/account/email')}">Change your email</a>
      </p>
      <form method="post" action="${pathTo(config, '/sign-out')}">
        ${hidden('form_token', token)}
        <button type="submit">Sign out</button>
      </form>
      ${nameSection(config, view)}
      ${view.hasPassword ? passwordSection(config, view) : noPassword(config)}
      ${secondFactors(config, view)}
      <h2>Where you are signed in</h2>
      <ul class="rows">
        ${view.sessions.map((session) => sessionRow(config, token, session, current))}
      </ul>
      ${
        view.sessions.length < 2
          ? null
          : html`<form method="post" action="${pathTo(config, '/account/sessions/end-others')}">
              ${hidden('form_token', token)}
              <button type="submit">Sign out everywhere else</button>
            </form>`
      }
      ${connectedApps(config, view)}`,
  }
}

function nameSection(config: Config, { token, current, changed }: AccountView): Html {
  return html`<h2>Your name</h2>
    ${changed === 'name' ? html`<p class="done" role="status">Your name was changed.</p>` : null}
    <form method="post" action="${pathTo(config, '/account/name')}">
      ${hidden('form_token', token)} ${nameField(current.user.name)}
      <div class="actions"><button type="submit">Change name</button></div>
    </form>`
}

function noPassword({ oidcName }: Config): Html {
  return html`<h2>Your password</h2>
    <p class="hint">You have no password: you sign in with ${oidcName}.</p>`
}

function passwordSection(config: Config, { token, problem, changed, current }: AccountView): Html {
  return html`<h2>Change your password</h2>
    <p class="hint">You will be signed out everywhere else.</p>
    ${problemBox(problem)}
    ${changed === 'password' ? html`<p class="done" role="status">Your password was changed.</p>` : null}
    <form method="post" action="${pathTo(config, '/account/password')}">
      ${hidden('form_token', token)}
      <input type="hidden" name="email" value="${current.user.email}" autocomplete="username" />
      ${field({
        name: 'current',
        label: 'Current password',
        type: 'password',
        autocomplete: 'current-password',
      })}
      ${field({
        name: 'next',
        label: 'New password',
        type: 'password',
        autocomplete: 'new-password',
        hint: 'At least 10 characters.',
      })}
      <div class="actions"><button class="primary" type="submit">Change password</button></div>
    </form>`
}

function secondFactors(config: Config, view: AccountView): Html {
  const { factors, codesLeft, token, confirmed } = view
  const confirm = pathTo(config, '/account/confirm', { return_to: pathTo(config, '/account') })
  return html`<h2>Second factor</h2>
    ${
      factors.length === 0
        ? html`<p class="hint">
            You have no second factor. With a passkey or an authenticator app, your password alone
            is not enough to sign in.
          </p>`
        : html`<ul class="rows">
            ${factors.map((factor) => factorRow(config, view, factor))}
            <li>
              <span
                >Recovery codes
                <small>${codesLeft === 1 ? '1 code left' : `${codesLeft} codes left`}</small></span
              >
              ${
                confirmed
                  ? html`<form
                      method="post"
                      action="${pathTo(config, '/account/second-factor/recovery-codes')}"
                    >
                      ${hidden('form_token', token)}
                      <button type="submit">New codes</button>
                    </form>`
                  : null
              }
            </li>
          </ul>`
    }
    <div class="actions">
      <a class="button" href="${pathTo(config, '/account/second-factor')}">Add a second factor</a>
      ${
        factors.length === 0 || confirmed
          ? null
          : html`<a class="button" href="${confirm}">Confirm to change these</a>`
      }
    </div>`
}

function factorRow(
  config: Config,
  { token, confirmed }: AccountView,
  { id, name, kind, lastUsedAt }: SecondFactor,
): Html {
  const what = kind === 'passkey' ? 'Passkey' : 'Authenticator app'
  const used = lastUsedAt === null ? 'not used yet' : html`last used ${minuteOf(lastUsedAt)}`
  return html`<li>
    <span>${name} <small>${what} · ${used}</small></span>
    ${
      confirmed
        ? html`<form method="post" action="${pathTo(config, '/account/second-factor/remove')}">
            ${hidden('form_token', token)} ${hidden('id', id)}
            <button type="submit" aria-label="Remove ${name}">Remove</button>
          </form>`
        : null
    }
  </li>`
}

function connectedApps(config: Config, { connectedApps: apps, token }: AccountView): Html {
  return html`<h2>Connected apps</h2>
    ${
      apps.length === 0
        ? html`<p class="hint">
            No applications act for you. Applications that you authorize appear here.
          </p>`
        : html`<ul class="rows">
            ${apps.map((app) => connectedApp(config, token, app))}
          </ul>`
    }`
}

function connectedApp(config: Config, token: string, app: ConnectedApp): Html {
  const used = app.lastUsedAt === null ? 'never used' : html`last used ${minuteOf(app.lastUsedAt)}`
  return html`<li>
    <span>${app.name} <small>${app.scopes.join(' ')} · ${used}</small></span>
    <form method="post" action="${pathTo(config, '/account/connected-apps/revoke')}">
      ${hidden('form_token', token)} ${hidden('id', app.id)}
      <button type="submit" aria-label="Revoke ${app.name}">Revoke</button>
    </form>
  </li>`
}

function sessionRow(config: Config, token: string, session: Session, current: Session): Html {
  const name = browserName(session.userAgent)
  const isHere = session.id === current.id
  const since = html`signed in ${minuteOf(session.createdAt)}`
  const seen = html`last seen ${minuteOf(session.lastSeenAt)}`
  return html`<li>
    <span
      >${name}
      <small
        >${session.address ?? 'unknown address'} · <span>${since}</span> ·
        <span>${seen}</span></small
      ></span
    >
    ${
      isHere
        ? html`<span>This browser</span>`
        : html`<form method="post" action="${pathTo(config, '/account/sessions/end')}">
            ${hidden('form_token', token)} ${hidden('id', session.id)}
            <button type="submit" aria-label="Sign out ${name}">Sign out</button>
          </form>`
    }
  </li>`
}
