import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
  type McpServer,
  type Server,
} from '@modelcontextprotocol/server'
import type { Logger } from 'pino'
import { findOperation } from '#operations/catalogue.ts'
import { headOf, type Answer } from './answer.ts'
import type { PostedMessages } from './read-messages.ts'
import type { ShortAnswers } from './short-answers.ts'
import type { Caller } from './tools.ts'

/** Creates the server for one request. */
export type MakeServer = (caller: Caller) => Server | McpServer

/** Answers posted messages of every revision of the protocol from 2025-03-26 on. */
export interface Protocol {
  answer(request: Request, posted: PostedMessages, caller: Caller): Promise<Answer>
}

/**
 * Loaded at the first request: the SDK takes 33 MB and a tenth of a second.
 *
 * @param short for the catalogue's own server: answers what needs no server of the SDK
 */
export function createProtocol(
  makeServer: MakeServer,
  log: Logger,
  short: ShortAnswers | null,
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
      const respondTo = (one: Caller) => respond(request, posted, one)
      const answer = await short?.answer(request, posted, caller, respondTo)
      return answer ?? (await wholeIfJson(await respondTo(caller)))
    },
  }
}

async function wholeIfJson(response: Response): Promise<Answer> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
  const isWhole = !isStream && response.body !== null
  return { head: headOf(response), body: isWhole ? await response.text() : response.body }
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
