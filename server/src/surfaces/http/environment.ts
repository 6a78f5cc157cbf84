import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context } from 'hono'

/** What a surface's handlers find in Hono's context. */
export interface HttpEnvironment {
  /** Set by the Node server, absent where a test calls `app.request()`. */
  readonly Bindings: { readonly incoming?: IncomingMessage; readonly outgoing?: ServerResponse }
  readonly Variables: {
    requestId: string
    /** The browser cookie that this very answer sets. */
    browserSecret?: string
  }
}

/** One request, as a surface's handlers get it. */
export type Http = Context<HttpEnvironment>
