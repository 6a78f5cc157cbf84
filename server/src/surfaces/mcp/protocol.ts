import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
  type McpServer,
  type Server,
} from '@modelcontextprotocol/server'
import type { Logger } from 'pino'
import { findOperation } from '#operations/catalogue.ts'
import type { PostedMessages } from './read-messages.ts'
import { listToolsText, type Caller, type ToolView } from './tools.ts'

/** Creates the server for one request. */
export type MakeServer = (caller: Caller) => Server | McpServer

/** Answers posted messages of every revision of the protocol from 2025-03-26 on. */
export interface Protocol {
  answer(request: Request, posted: PostedMessages, caller: Caller): Promise<Answer>
}

/** A complete body is text: a stream needs its own write, which costs a sixth of all CPU time. */
export interface Answer {
  readonly response: Response
  readonly body: string | ReadableStream<Uint8Array> | null
}

/**
 * Loaded at the first request: the SDK takes 33 MB and a tenth of a second.
 *
 * @param hasCatalogue true for the catalogue's own server, whose tool lists are serialised once
 */
export function createProtocol(
  makeServer: MakeServer,
  log: Logger,
  hasCatalogue: boolean,
): Protocol {
  const callers = new WeakMap<Request, Caller>()
  const modern = createMcpHandler(
    ({ requestInfo }) => {
      const caller = requestInfo === undefined ? undefined : callers.get(requestInfo)
      if (caller === undefined) throw new Error('a request was dispatched without its caller')
      return makeServer(caller)
    },
    { legacy: 'reject', onerror: (error) => log.debug({ err: error }, 'MCP request refused') },
  )
  async function respond(request: Request, posted: PostedMessages, caller: Caller) {
    const { body } = posted
    if (await isLegacyRequest(request, body))
      return await answerLegacy(makeServer(caller), request, posted)
    callers.set(request, caller)
    return await modern.fetch(request, { parsedBody: body })
  }
  return {
    async answer(request, posted, caller) {
      if (!hasCatalogue || !asksForList(posted))
        return await wholeIfJson(await respond(request, posted, caller))
      const response = await respond(request, posted, { ...caller, isListSpliced: true })
      return { response, body: spliceList(await response.text(), caller.view) }
    },
  }
}

async function wholeIfJson(response: Response): Promise<Answer> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
  const isWhole = !isStream && response.body !== null
  return { response, body: isWhole ? await response.text() : response.body }
}

/** Revisions before 2026-07-28, without sessions: each POST gets its own server and transport. */
async function answerLegacy(
  server: Server | McpServer,
  request: Request,
  { body, requests }: PostedMessages,
): Promise<Response> {
  const accept = request.headers.get('accept') ?? ''
  const takesStream = accept.includes('text/event-stream')
  const takesJson = !takesStream || accept.includes('application/json')
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
    enableJsonResponse: takesJson && !(takesStream && requests.some(mayTakeLong)),
  })
  request.signal.addEventListener('abort', () => void server.close(), { once: true })
  await server.connect(transport)
  return await transport.handleRequest(acceptingAll(request), { parsedBody: body })
}

/**
 * Model calls take long, and proxies close silent connections, so these calls are answered as a
 * stream with heartbeats. Calls outside our catalogue may be as slow.
 */
function mayTakeLong({ method, params }: PostedMessages['requests'][number]): boolean {
  if (method !== 'tools/call' || typeof params.name !== 'string') return false
  return findOperation(params.name)?.hints.openWorld ?? true
}

/**
 * The SDK answers 406 unless both types are accepted. A plain request, such as curl's, names
 * neither and still expects an answer.
 */
function acceptingAll(request: Request): Request {
  const headers = new Headers(request.headers)
  headers.set('accept', 'application/json, text/event-stream')
  return new Request(request.url, { method: 'POST', headers, signal: request.signal })
}

/** An empty list as the SDK serialises it. No JSON string contains it: quotes are escaped. */
const emptyList = '"tools":[]'

/** True for an answer that is a list of tools and nothing else. */
function asksForList({ body, requests }: PostedMessages): boolean {
  return !Array.isArray(body) && requests[0]?.method === 'tools/list'
}

/** Inserts the tools in place of the empty list; an error has none. */
function spliceList(answer: string, view: ToolView): string {
  const at = answer.indexOf(emptyList)
  if (at === -1) return answer
  const after = at + emptyList.length
  return `${answer.slice(0, at)}"tools":${listToolsText(view)}${answer.slice(after)}`
}
