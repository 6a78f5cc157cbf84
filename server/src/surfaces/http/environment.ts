import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context } from 'hono'

/** What Hono's context contains for a surface's handlers. */
export interface HttpEnvironment {
  /** Set by the Node server, absent where a test calls `app.request()`. */
  readonly Bindings: {
    readonly incoming?: IncomingMessage
    readonly outgoing?: ServerResponse
    /** The agent whose chat page is served at the domain of the request; null while none is. */
    readonly pageAtDomain?: string | null
  }
  readonly Variables: {
    requestId: string
    /** The browser cookie that this answer sets. */
    browserSecret?: string
  }
}

/** A request, as Hono passes it to a surface's handlers. */
export type Http = Context<HttpEnvironment>
