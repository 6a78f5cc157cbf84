import { html } from 'hono/html'
import type { Destination, OauthClient } from '#features/grants/index.ts'
import type { Page } from '#surfaces/http/page.ts'

export interface WrongRequest {
  readonly client: OauthClient
  readonly destination: Destination
  /** The problem, as the client will get it. */
  readonly description: string
  /** The client's address with the error. */
  readonly address: string
}

/** Stands between a wrong request and the web site that it would send the person to. */
export function wrongRequestPage(wrong: WrongRequest): Page {
  const { client, destination, description, address } = wrong
  return {
    title: 'This request is not valid',
    body: html`<h1>This request is not valid</h1>
      <p>${description}.</p>
      <dl class="facts">
        <div>
          <dt>Application</dt>
          <dd>${client.name}</dd>
        </div>
        <div>
          <dt>It would send you to</dt>
          <dd>${destination.shown}</dd>
        </div>
      </dl>
      <p class="warning" role="note">
        Parley cannot check who runs this application, and nothing was authorized. Go on only if you
        have just started this yourself.
      </p>
      <p><a class="button" href="${address}" rel="noreferrer">Go to ${destination.shown}</a></p>`,
  }
}
