import { html } from 'hono/html'
import type { Config } from '#config'
import type { PendingAuthorization } from '#features/grants/index.ts'
import { covers, namedScopes, type NamedScope, type Scope } from '#kernel/scope.ts'
import { hidden, problemBox, type Html, type Page } from '#surfaces/http/page.ts'
import { pathTo } from '#surfaces/http/service-address.ts'
import { scopeDetails } from './scope-details.ts'
import { checkedIf, reachChoice, type ReachView } from './reach-choice.ts'

/** A form that leads to the same page again, with what was chosen. */
export interface SentForm {
  readonly form: URLSearchParams
  /** The person pressed Authorize with no permission checked. */
  readonly isEmpty: boolean
}

export interface ConsentView extends ReachView {
  readonly request: PendingAuthorization
  readonly handle: string
  readonly returnTo: string
  readonly email: string
  /** The workspace that is selected at first. */
  readonly workspaceId: string
  readonly token: string
  readonly signOutToken: string
  /** Undefined before a form was sent. */
  readonly sent: SentForm | undefined
}

export function consentPage(config: Config, view: ConsentView): Page {
  const { request, handle, token } = view
  const { name } = request.client
  const nothing = view.sent?.isEmpty
    ? 'Nothing is left to authorize. Check at least one permission, or press Deny.'
    : null
  return {
    title: `Authorize ${name}`,
    wide: true,
    body: html`<h1>Authorize ${name}?</h1>
      <p class="lead">This application wants to act on your Parley account.</p>
      ${facts(view)} ${warning(request)} ${problemBox(nothing)}
      <form id="consent" method="post" action="${pathTo(config, '/mcp/oauth/consent')}">
        ${hidden('form_token', token)} ${hidden('request', handle)} ${permissions(view)}
        ${readOnlyChoice(view)} ${workspaceChoice(view)} ${reachChoice(view)}
        <div class="actions">
          <button class="primary" type="submit" name="decision" value="authorize">Authorize</button>
          <button type="submit" name="decision" value="deny">Deny</button>
        </div>
      </form>
      <form method="post" action="${pathTo(config, '/sign-out')}">
        ${hidden('form_token', view.signOutToken)} ${hidden('return_to', view.returnTo)}
        <p class="fine">
          Not ${view.email}?
          <button class="link" type="submit">Use another account</button>
        </p>
      </form>
      <p class="fine">
        This request expires five minutes after it started. You can end the access at any time under
        Connected apps.
      </p>`,
  }
}

/** The application, the account and the return address: the facts that a person can check. */
function facts({ request, email }: ConsentView): Html {
  const { client, destination } = request
  return html`<dl class="facts">
    <div>
      <dt>Application</dt>
      <dd>
        ${client.name}
        ${client.kind === 'document' ? html`<small>${new URL(client.id).host}</small>` : null}
      </dd>
    </div>
    <div>
      <dt>Your account</dt>
      <dd>${email}</dd>
    </div>
    <div>
      <dt>After that, you return to</dt>
      <dd>
        ${destination.shown}
        ${destination.isThisComputer ? html`<small>a program on your own device</small>` : null}
      </dd>
    </div>
  </dl>`
}

/** RFC 8252 §8.6: any program on the device can claim to be any application. */
function warning({ client, destination }: PendingAuthorization): Html | null {
  if (client.kind === 'document' && !destination.isThisComputer) return null
  const text = destination.isThisComputer
    ? 'Any program on your device can use this name, and Parley cannot verify which one did.'
    : 'Parley cannot check who runs this application, only where it sends you.'
  return html`<p class="warning" role="note">
    ${text} Authorize only if you have just started this yourself.
  </p>`
}

function permissions({ request, sent }: ConsentView): Html {
  const asked: readonly Scope[] = request.scopes
  // With nothing checked, the person starts again from everything.
  const isChecked = (scope: string) =>
    sent === undefined || sent.isEmpty || sent.form.getAll('scope').includes(scope)
  // The keys of `namedScopes` are scopes; Object.entries loses this type.
  const offered = (Object.entries(namedScopes) as [NamedScope, string][]).filter(([scope]) =>
    covers(asked, scope),
  )
  return html`<fieldset>
    <legend>It asks to</legend>
    <div class="choices">
      ${offered.map(
        ([scope, meaning]) =>
          html`<label class="choice${scope.endsWith(':read') ? '' : ' changes'}">
            <input type="checkbox" name="scope" value="${scope}" ${checkedIf(isChecked(scope))} />
            <span>${meaning}</span>
            <small>${scope} · ${scopeDetails[scope]}</small>
          </label>`,
      )}
    </div>
  </fieldset>`
}

function readOnlyChoice({ sent }: ConsentView): Html {
  const isReadOnly = sent?.form.get('access') === 'read_only'
  return html`<fieldset>
    <legend>Access</legend>
    <label class="choice">
      <input type="radio" name="access" value="checked" ${checkedIf(!isReadOnly)} />
      <span>Everything checked above</span>
    </label>
    <label class="choice">
      <input type="radio" name="access" value="read_only" ${checkedIf(isReadOnly)} />
      <span>Read only</span>
      <small>It can view what is checked, but cannot change anything.</small>
    </label>
  </fieldset>`
}

function workspaceChoice({ workspaces, workspaceId }: ConsentView): Html | null {
  if (workspaces.length < 2) return null
  return html`<div class="field">
    <label for="workspace_id">Workspace it starts in</label>
    <select id="workspace_id" name="workspace_id">
      ${workspaces.map(
        ({ id, name }) =>
          html`<option value="${id}" ${id === workspaceId ? html`selected` : null}>
            ${name}
          </option>`,
      )}
    </select>
  </div>`
}
