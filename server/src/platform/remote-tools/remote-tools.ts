/** Tools of remote MCP servers, at addresses that users enter. */

export interface RemoteServer {
  readonly url: string
  /** Sent with every request; they contain the credentials. */
  readonly headers: Readonly<Record<string, string>>
  /** For each response of the server. */
  readonly timeoutMs: number
}

export interface RemoteTool {
  /** The server's name for it. */
  readonly name: string
  readonly title: string | null
  readonly description: string
  /** JSON Schema of an object, as the server sent it. */
  readonly inputSchema: Readonly<Record<string, unknown>>
}

export interface RemoteResult {
  readonly isError: boolean
  /** Structured content if the server sends it, else its text. */
  readonly data: unknown
}

/** One connection to a server, opened by the first call. */
export interface RemoteSession {
  /** @throws RemoteToolFailure; the signal's reason when it aborts */
  call(
    name: string,
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<RemoteResult>
  /** Never rejects. */
  close(): Promise<void>
}

export interface RemoteTools {
  /**
   * Every tool that a server lists.
   *
   * @throws RemoteToolFailure; the signal's reason when it aborts
   */
  list(server: RemoteServer, signal: AbortSignal): Promise<readonly RemoteTool[]>
  open(server: RemoteServer): RemoteSession
}

export type RemoteToolFailureReason =
  /** It cannot be reached, or its address is not allowed. */
  | 'unreachable'
  | 'timeout'
  /** It refused the credentials, or requires some. */
  | 'rejected'
  /** It violated the protocol, or sent too much. */
  | 'bad_answer'

/** A server's failure. Its message is for the log and never shown to the caller. */
export class RemoteToolFailure extends Error {
  override readonly name = 'RemoteToolFailure'
  readonly reason: RemoteToolFailureReason

  constructor(reason: RemoteToolFailureReason, detail: string, options?: { cause?: unknown }) {
    super(detail, options)
    this.reason = reason
  }
}
