import type { Context } from 'hono'
import type { Actor } from '#kernel/actor.ts'
import type { HttpEnvironment } from '#surfaces/http/environment.ts'

/** The id of a JSON-RPC request; null where it cannot be known (JSON-RPC 2.0 §5). */
export type RpcId = string | number | null

export interface McpEnvironment extends HttpEnvironment {
  readonly Variables: HttpEnvironment['Variables'] & {
    /** Set once a single (not batched) request is parsed, so that an error can contain its id. */
    rpcId?: RpcId
    /** Set once the credential is verified. */
    caller?: Actor
    /** The called tool, or else the method, for the audit entry of a refusal. */
    attempt?: string
    hasLimitHeaders?: boolean
  }
}

/** One request to the MCP server. */
export type McpHttp = Context<McpEnvironment>
