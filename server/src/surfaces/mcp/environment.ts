import type { HttpEnvironment } from '#surfaces/http/environment.ts'

/** The id of a JSON-RPC request; null where it cannot be known (JSON-RPC 2.0 §5). */
export type RpcId = string | number | null

export interface McpEnvironment extends HttpEnvironment {
  readonly Variables: HttpEnvironment['Variables'] & {
    /** Set once a single request was read, so that an error can name it. */
    rpcId?: RpcId
  }
}
