import type {
  CallToolResult,
  Client,
  StreamableHTTPClientTransport,
  Tool,
} from '@modelcontextprotocol/client'
import type { Outbound } from '#platform/outbound-http/outbound.ts'
import {
  RemoteToolFailure,
  type RemoteResult,
  type RemoteServer,
  type RemoteSession,
  type RemoteTool,
  type RemoteToolFailureReason,
  type RemoteTools,
} from './remote-tools.ts'

/** Of one response, in bytes. */
const maxAnswerBytes = 4 * 1024 * 1024

/** The SDK parses and checks an answer at once. 200 tools with ten parameters are 10,000 values. */
const maxAnswerValues = 20_000

/** Limits per server and, in characters, per tool; tools beyond them are omitted. */
const maxTools = 200
const maxSchemaLength = 20_000
const maxDescriptionLength = 2_000

/** MCP servers through the SDK's client, which is loaded on first use. */
export function createRemoteTools(outbound: Pick<Outbound, 'fetch'>): RemoteTools {
  return {
    async list(server, signal) {
      const all = AbortSignal.any([signal, AbortSignal.timeout(server.timeoutMs)])
      const connection = await connect(outbound, server, all)
      try {
        const { tools } = await asFailures(signal, () =>
          connection.client.listTools({}, { signal: all }),
        )
        return tools.slice(0, maxTools).flatMap((tool) => toRemoteTool(tool) ?? [])
      } finally {
        await closeQuietly(connection)
      }
    },
    open: (server) => openSession(outbound, server),
  }
}

interface Connection {
  readonly client: Client
  readonly transport: StreamableHTTPClientTransport
}

function openSession(outbound: Pick<Outbound, 'fetch'>, server: RemoteServer): RemoteSession {
  // Simultaneous calls share one connection and its failure.
  let connecting: Promise<Connection> | null = null
  return {
    async call(name, args, signal) {
      connecting ??= connect(outbound, server, signal)
      const { client } = await connecting
      return await asFailures(signal, async () => {
        const timeout = server.timeoutMs
        const options = { signal, timeout, maxTotalTimeout: timeout }
        return resultOf(await client.callTool({ name, arguments: { ...args } }, options))
      })
    },
    async close() {
      const connection = await connecting?.catch(() => null)
      if (connection) await closeQuietly(connection)
    },
  }
}

async function connect(
  outbound: Pick<Outbound, 'fetch'>,
  { url, headers, timeoutMs }: RemoteServer,
  signal: AbortSignal,
): Promise<Connection> {
  const sdk = await import('@modelcontextprotocol/client')
  const transport = new sdk.StreamableHTTPClientTransport(new URL(url), {
    fetch: outbound.fetch({ timeoutMs, maxBytes: maxAnswerBytes, maxValues: maxAnswerValues }),
    requestInit: { headers },
    // A broken stream ends its call: a retry could make the call twice.
    reconnectionOptions: {
      maxRetries: 0,
      initialReconnectionDelay: 1,
      maxReconnectionDelay: 1,
      reconnectionDelayGrowFactor: 1,
    },
  })
  const client = new sdk.Client(
    { name: 'parley', version: '1' },
    {
      versionNegotiation: { mode: 'auto' },
      // The SDK would compile a foreign schema into code and run it; we treat results as plain data.
      jsonSchemaValidator: {
        getValidator: () => (input) => ({
          valid: true,
          // Our code reads the result as unknown.
          data: input as never,
          errorMessage: undefined,
        }),
      },
    },
  )
  const connection = { client, transport }
  try {
    const options = { signal, timeout: timeoutMs, maxTotalTimeout: timeoutMs }
    await asFailures(signal, () => client.connect(transport, options))
    return connection
  } catch (error) {
    await closeQuietly(connection)
    throw error
  }
}

async function asFailures<T>(signal: AbortSignal, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (signal.aborted && !isTimeout(signal.reason)) throw signal.reason
    throw signal.aborted
      ? new RemoteToolFailure('timeout', 'The server took too long.', { cause: error })
      : failureOf(error)
  }
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof DOMException && reason.name === 'TimeoutError'
}

/** Ends the server's session if it keeps one. Errors at this point are harmless. */
async function closeQuietly({ client, transport }: Connection): Promise<void> {
  if (transport.sessionId !== undefined) await transport.terminateSession().catch(() => undefined)
  await client.close().catch(() => undefined)
}

function toRemoteTool({ name, title, description, inputSchema }: Tool): RemoteTool | null {
  if (JSON.stringify(inputSchema).length > maxSchemaLength) return null
  return {
    name,
    title: title?.slice(0, 200) ?? null,
    description: (description ?? '').slice(0, maxDescriptionLength),
    inputSchema,
  }
}

/** A tool's result: its structured content, else its text; other content is only named. */
function resultOf({ content, structuredContent, isError }: CallToolResult): RemoteResult {
  return { isError: isError === true, data: structuredContent ?? textOf(content) }
}

function textOf(content: CallToolResult['content']): string | null {
  const texts = content.map((block) => {
    if (block.type === 'text') return block.text
    if (block.type === 'resource')
      return 'text' in block.resource ? block.resource.text : `(resource ${block.resource.uri})`
    return block.type === 'resource_link' ? `(resource ${block.uri})` : `(${block.type})`
  })
  return texts.length === 0 ? null : texts.join('\n')
}

/** The failure for an error of the SDK, of our `fetch` or of the connection. */
function failureOf(error: unknown): RemoteToolFailure {
  if (error instanceof RemoteToolFailure) return error
  const detail = error instanceof Error ? error.message : String(error)
  return new RemoteToolFailure(reasonOf(error), detail.slice(0, 300), { cause: error })
}

function reasonOf(error: unknown): RemoteToolFailureReason {
  for (const one of causes(error)) {
    const reason = knownReason(one)
    if (reason !== null) return reason
  }
  return 'bad_answer'
}

function knownReason(error: Error): RemoteToolFailureReason | null {
  const code = 'code' in error ? String(error.code) : ''
  const status = 'status' in error ? Number(error.status) : Number.NaN
  if (error.name === 'OutboundRefused')
    return 'reason' in error && error.reason === 'timeout' ? 'timeout' : 'unreachable'
  if (error.name === 'UnauthorizedError' || status === 401 || status === 403) return 'rejected'
  if (code.endsWith('TIMEOUT') || code === 'ETIMEDOUT') return 'timeout'
  if (error.name === 'BodyTooLarge') return 'bad_answer'
  return /^(E[A-Z]{3,}|UND_ERR_\w+)$/.test(code) ? 'unreachable' : null
}

/** The error and the chain of its causes. */
function* causes(error: unknown): Generator<Error> {
  let at = error
  for (let depth = 0; depth < 6 && at instanceof Error; depth += 1) {
    yield at
    if (at instanceof AggregateError) yield* at.errors.filter((one) => one instanceof Error)
    at = at.cause
  }
}
