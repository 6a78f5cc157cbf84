import type { Client, StreamableHTTPClientTransport, Tool } from '@modelcontextprotocol/client'
import type { Outbound } from '#platform/outbound-http/outbound.ts'
import { failureOf } from './remote-failure.ts'
import {
  RemoteToolFailure,
  type RemoteServer,
  type RemoteSession,
  type RemoteTool,
  type RemoteTools,
} from './remote-tools.ts'
import { resultOf } from './remote-result.ts'

/** Of one answer of a server, in bytes. */
const maxAnswerBytes = 4 * 1024 * 1024

/** Tools of one server, and characters of one tool's schema: what is beyond is left out. */
const maxTools = 200
const maxSchemaLength = 20_000
const maxDescriptionLength = 2_000

/** MCP servers through the SDK's client, which is loaded by the first use. */
export function createRemoteTools(outbound: Pick<Outbound, 'fetch'>): RemoteTools {
  return {
    async list(server, signal) {
      const all = AbortSignal.any([signal, AbortSignal.timeout(server.timeoutMs)])
      const connection = await connect(outbound, server, all)
      try {
        const { tools } = await asFailures(() => connection.client.listTools({}, { signal: all }), {
          signal,
        })
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
  // Calls that are made at once share one connection, and its failure.
  let connecting: Promise<Connection> | null = null
  return {
    async call(name, args, signal) {
      connecting ??= connect(outbound, server, signal)
      const { client } = await connecting
      return await asFailures(
        async () => {
          const timeout = server.timeoutMs
          const options = { signal, timeout, maxTotalTimeout: timeout }
          return resultOf(await client.callTool({ name, arguments: { ...args } }, options))
        },
        { signal },
      )
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
    fetch: outbound.fetch({ timeoutMs, maxBytes: maxAnswerBytes }),
    requestInit: { headers },
    // A stream that breaks ends its call: asking again could make the call twice.
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
      // Compiling a schema from outside runs code that is made of it; results are data to us anyway.
      jsonSchemaValidator: {
        getValidator: () => (input) => ({
          valid: true,
          // Whoever reads the result reads it as unknown.
          data: input as never,
          errorMessage: undefined,
        }),
      },
    },
  )
  const connection = { client, transport }
  await asFailures(
    () => client.connect(transport, { signal, timeout: timeoutMs, maxTotalTimeout: timeoutMs }),
    { signal, onFailure: () => closeQuietly(connection) },
  )
  return connection
}

async function asFailures<T>(
  run: () => Promise<T>,
  { signal, onFailure }: { signal: AbortSignal; onFailure?: () => Promise<void> },
): Promise<T> {
  try {
    return await run()
  } catch (error) {
    await onFailure?.()
    if (signal.aborted && !isTimeout(signal.reason)) throw signal.reason
    throw signal.aborted
      ? new RemoteToolFailure('timeout', 'The server took too long.', { cause: error })
      : failureOf(error)
  }
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof DOMException && reason.name === 'TimeoutError'
}

/** Ends the server's session where it keeps one. What goes wrong then harms nobody. */
async function closeQuietly({ client, transport }: Connection): Promise<void> {
  if (transport.sessionId !== undefined)
    await transport.terminateSession().catch((error: unknown) => ignored(error))
  await client.close().catch((error: unknown) => ignored(error))
}

function ignored(_error: unknown): void {}

function toRemoteTool({ name, title, description, inputSchema }: Tool): RemoteTool | null {
  if (JSON.stringify(inputSchema).length > maxSchemaLength) return null
  return {
    name,
    title: title?.slice(0, 200) ?? null,
    description: (description ?? '').slice(0, maxDescriptionLength),
    inputSchema,
  }
}
