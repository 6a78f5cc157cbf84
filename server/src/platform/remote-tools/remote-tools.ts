/** The tools of other people's MCP servers, at addresses that a person typed in. */

export interface RemoteServer {
  readonly url: string
  /** Sent with every request; they hold the credentials. */
  readonly headers: Readonly<Record<string, string>>
  /** For each answer of the server. */
  readonly timeoutMs: number
}

export interface RemoteTool {
  /** As the server calls it. */
  readonly name: string
  readonly title: string | null
  readonly description: string
  /** JSON Schema of an object, as the server gave it. */
  readonly inputSchema: Readonly<Record<string, unknown>>
}

export interface RemoteResult {
  readonly isError: boolean
  /** Structured content where the server gives it, else its text. */
  readonly data: unknown
}

/** One conversation with a server; it connects with the first call. */
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
  /** It could not be reached, or must not be. */
  | 'unreachable'
  | 'timeout'
  /** It refused the credentials, or wants some. */
  | 'rejected'
  /** It does not speak the protocol, or said too much. */
  | 'bad_answer'

/** A server's failure, without its internals: the message is for the log, never for the caller. */
export class RemoteToolFailure extends Error {
  override readonly name = 'RemoteToolFailure'
  readonly reason: RemoteToolFailureReason

  constructor(reason: RemoteToolFailureReason, detail: string, options?: { cause?: unknown }) {
    super(detail, options)
    this.reason = reason
  }
}
