import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { McpServer as LegacyMcpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { afterAll } from 'vitest'
import { z } from 'zod'

export interface RemoteMcpServer {
  readonly url: string
  readonly host: string
  /** The `authorization` header of every request, in order. */
  readonly authorizations: (string | undefined)[]
  /** The tools that were called, with their arguments. */
  readonly calls: { readonly name: string; readonly args: unknown }[]
  /** The number of times that its tools were listed. */
  listed(): number
  /** From now on the server does not respond. */
  goSilent(): void
}

/** The tools of both servers. `echo` returns the credential that it received. */
const tools = {
  add: { title: 'Add numbers', description: 'Adds two numbers', input: { a: z.number(), b: z.number() } }, // prettier-ignore
  echo: { title: 'Echo', description: 'Returns the credential', input: {} },
  fail: { title: 'Fail', description: 'Fails', input: {} },
  'odd.name.with.dots': { title: 'Odd', description: 'Has an odd name', input: {} },
} as const

/**
 * A remote MCP server, built with the current SDK, which keeps no sessions, or with version 1,
 * which does. It stops with the suite.
 */
export async function startRemoteMcpServer(era: 'modern' | 'legacy'): Promise<RemoteMcpServer> {
  const authorizations: (string | undefined)[] = []
  const calls: { name: string; args: unknown }[] = []
  let lists = 0
  let isSilent = false

  function run(name: keyof typeof tools, args: Record<string, unknown>) {
    calls.push({ name, args })
    const text = (words: string) => [{ type: 'text' as const, text: words }]
    if (name === 'fail') return { isError: true, content: text('It broke.') }
    if (name === 'echo') return { content: text(String(authorizations.at(-1))) }
    const sum = Number(args.a) + Number(args.b)
    return { content: text(`The sum is ${sum}.`) }
  }

  const handle = era === 'modern' ? modernHandler(run) : legacyHandler(run)
  const server = createServer((request, response) => {
    if (isSilent) return
    authorizations.push(request.headers.authorization)
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const text = Buffer.concat(pieces).toString()
      if (text.includes('"tools/list"')) lists += 1
      void handle(request, response, text === '' ? undefined : JSON.parse(text))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterAll(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  // A server listening on TCP has an address with a port.
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `http://${host}/mcp`,
    host,
    authorizations,
    calls,
    listed: () => lists,
    goSilent() {
      isSilent = true
    },
  }
}

type Run = (
  name: keyof typeof tools,
  args: Record<string, unknown>,
) => {
  isError?: boolean
  content: { type: 'text'; text: string }[]
}
type Handle = (
  request: IncomingMessage,
  response: ServerResponse,
  body: unknown,
) => Promise<unknown>

const names = Object.keys(tools) as (keyof typeof tools)[] // The keys of the literal above.

function modernHandler(run: Run): Handle {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'remote', version: '1' })
    for (const name of names) {
      const { title, description, input } = tools[name]
      const config = { title, description, inputSchema: z.object(input) }
      server.registerTool(name, config, async (args) => run(name, args))
    }
    return server
  })
  return async (request, response, parsedBody) => {
    const listener = getRequestListener((one) => handler.fetch(one, { parsedBody }))
    return await listener(request, response)
  }
}

function legacyHandler(run: Run): Handle {
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  return async (request, response, body) => {
    const id = request.headers['mcp-session-id']
    const known = typeof id === 'string' ? sessions.get(id) : undefined
    if (known !== undefined) return await known.handleRequest(request, response, body)
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (session) => {
        sessions.set(session, transport)
      },
    })
    const server = new LegacyMcpServer({ name: 'remote', version: '1' })
    for (const name of names) {
      const { title, description, input } = tools[name]
      const config = { title, description, inputSchema: input as z.ZodRawShape }
      server.registerTool(name, config, async (args: Record<string, unknown>) => run(name, args))
    }
    await server.connect(transport)
    return await transport.handleRequest(request, response, body)
  }
}
