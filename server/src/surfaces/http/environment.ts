import type { IncomingMessage, ServerResponse } from 'node:http'

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
