import type { Handler } from 'hono'
import { touchKey } from '#features/api-keys/index.ts'
import {
  authenticateCaller,
  findCallerAgent,
  startTurn,
  type ChatCaller,
  type Turn,
  type TurnResult,
} from '#features/turns/index.ts'
import type { Context } from '#platform/context.ts'
import { bearerToken, readJson, requestIdOf } from '#surfaces/http/api-request.ts'
import { senderOf } from '#surfaces/http/client-address.ts'
import type { Http, HttpEnvironment } from '#surfaces/http/environment.ts'
import { dataFrame, eventStream, heartbeatMs, type EventSink } from '#surfaces/http/event-stream.ts'
import { requireAllowed } from '#surfaces/http/limits.ts'
import { callDeltas, wireCall } from './write-calls.ts'
import { toChatFault } from './fault-table.ts'
import { readChatRequest } from './read-request.ts'

/** How often the last use of a key is stored. */
const noteUseEveryMs = 60_000

export const exposedHeaders = [
  'X-Chat-Session-ID',
  'X-Correlation-ID',
  'X-Request-ID',
  'Retry-After',
]
const exposed = exposedHeaders.join(',')

/**
 * POST /api/v1/chat/completions; the checks have the interface's order. Its headers are those of the
 * surface's middleware, which it does not pass: headers that are set on Hono's context become
 * Headers, which take longer than finding the agent.
 */
export function completions(ctx: Context): Handler<HttpEnvironment> {
  return async (c) => {
    const id = requestIdOf(c.req.header('x-correlation-id'))
    c.set('requestId', id)
    const headers: Record<string, string> = {
      'X-Correlation-ID': id,
      'X-Request-ID': id,
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Expose-Headers': exposed,
    }
    try {
      ctx.admission.admit('chat')
      const caller = await authenticate(ctx, c)
      return await ctx.db.forTenant(caller.workspaceId, () => complete(ctx, c, caller, headers))
    } catch (error) {
      for (const [name, value] of Object.entries(headers)) c.header(name, value)
      throw error
    }
  }
}

async function complete(
  ctx: Context,
  c: Http,
  caller: ChatCaller,
  headers: Record<string, string>,
): Promise<Response> {
  await limitCaller(ctx, caller)
  const body = await readJson(c.req, ctx.config.maxBodyBytes)
  const request = readChatRequest(body, c.req.header('x-chat-session-id'), ctx.config)
  const agent = await findCallerAgent(ctx, caller, request.model)
  const turn = await beginTurn(ctx, c, { ...request, agent, keyId: caller.keyId })
  const now = ctx.clock.now()
  noteUse(ctx, c, caller)
  headers['X-Chat-Session-ID'] = turn.sessionId
  const completion = completionOf(turn, agent.appNameId, now)
  if (request.stream)
    return await streamAnswer(ctx, c, turn, frameWriter(completion, request.includeUsage), headers)
  const answer = JSON.stringify(wholeAnswer(completion, await turn.answer()))
  return new Response(answer, { headers: { ...headers, 'Content-Type': 'application/json' } })
}

/** Notes that a key is used, at most once a minute. */
export function noteUse(ctx: Context, c: Http, { keyId, lastUsedAt }: ChatCaller): void {
  const now = ctx.clock.now()
  if (now - (lastUsedAt ?? 0) >= noteUseEveryMs)
    void touchKey(ctx, keyId, now, senderOf(c, ctx.config))
}

export type TurnInput = Parameters<typeof startTurn>[1]

export async function beginTurn(
  ctx: Context,
  c: Http,
  request: Omit<TurnInput, 'source' | 'correlationId'>,
): Promise<Turn> {
  const correlationId = c.get('requestId')
  const input = { ...request, source: 'api', correlationId }
  const turn = await startTurn(ctx, input, c.req.raw.signal)
  const about = {
    requestId: correlationId,
    sessionId: turn.sessionId,
    model: request.agent.appNameId,
  }
  // So that a request can be found by its correlation id, however it ends.
  ctx.log.info(about, 'chat turn')
  return turn
}

export async function authenticate(ctx: Context, c: Http): Promise<ChatCaller> {
  const key = givenKey(c.req.header('authorization'))
  return await authenticateCaller(ctx, key, () => senderOf(c, ctx.config))
}

/**
 * The interface has an error for a missing key and one for a wrong key, but none for a malformed
 * header: text after `Bearer` that is not a token, such as two words, counts as an unknown key.
 */
function givenKey(authorization: string | undefined): string | null {
  const token = bearerToken(authorization)
  if (token !== null) return token
  return /^bearer +[^ ]/i.test(authorization ?? '') ? '' : null
}

/**
 * Counts a request of a key.
 *
 * @throws Fault rate_limited with retryAfterSeconds
 */
export async function limitCaller(
  { config, limits }: Context,
  { keyId }: ChatCaller,
): Promise<void> {
  const limit = config.chatRateLimit
  if (limit === null) return
  const window = { limit, windowSeconds: 60 }
  const verdict = await limits.consumeInBlocks(`chat:${keyId}`, window)
  if (!verdict.allowed) requireAllowed(verdict, window)
}

/** Writes the events of one streamed answer. */
export interface FrameWriter {
  /**
   * What precedes the first text.
   *
   * @param isText false when the answer is complete and has no text, only calls of the caller's tools
   */
  begin(isText: boolean): string
  texts(texts: readonly string[]): string
  end(result: TurnResult): string
  /** The end of an answer that failed after its first event. */
  failed(error: unknown): string
}

/**
 * Streams an answer. If the model fails before its first word, the answer is an
 * HTTP error. So the headers wait for the first text, but no longer than one heartbeat: proxies close
 * silent connections.
 */
export async function streamAnswer(
  ctx: Context,
  c: Http,
  turn: Turn,
  frames: FrameWriter,
  headers?: Readonly<Record<string, string>>,
): Promise<Response> {
  const begun = Promise.withResolvers<void>()
  const opened = Promise.withResolvers<EventSink>()
  let sink: EventSink | null = null
  let hasText = false
  let isText = true
  let hasFailed = false
  const answer = turn.answer((texts) => {
    if (sink !== null) return sink.write(frames.texts(texts))
    begun.resolve()
    hasText = true
    return opened.promise.then((open) => open.write(frames.texts(texts)))
  })
  answer
    .then(
      ({ text, toolCalls }) => (isText = text !== '' || toolCalls.length === 0),
      () => {
        hasFailed = true
      },
    )
    .finally(begun.resolve)
  await within(heartbeatMs, begun.promise)
  // A successful answer may be empty.
  if (hasFailed && !hasText) await answer
  const produce = async (open: EventSink) => {
    try {
      await open.write(frames.begin(isText))
      sink = open
      opened.resolve(open)
      await open.write(frames.end(await answer))
    } catch (error) {
      const about = { requestId: c.get('requestId'), sessionId: turn.sessionId }
      if (c.req.raw.signal.aborted) ctx.log.info(about, 'the client disconnected')
      else ctx.log.warn({ ...about, err: error }, 'a streamed answer failed')
      await open.write(frames.failed(error))
    }
  }
  return eventStream(c, ctx, produce, headers)
}

/** Waits for a promise that never rejects, up to a time. */
async function within(milliseconds: number, promise: Promise<void>): Promise<void> {
  const { promise: elapsed, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, milliseconds)
  await Promise.race([promise, elapsed])
  clearTimeout(timer)
}

/** The fields that all parts of an answer share. */
interface Completion {
  readonly id: string
  /** Unix seconds. */
  readonly created: number
  readonly model: string
  readonly chatSessionId: string
}

/** The `id` of an answer in OpenAI's form. */
export function completionId(messageId: string): string {
  return `chatcmpl-${messageId.replaceAll('-', '')}`
}

function completionOf(turn: Turn, model: string, now: number): Completion {
  const id = completionId(turn.messageId)
  return { id, created: Math.floor(now / 1000), model, chatSessionId: turn.sessionId }
}

/** The body of an answer that is not streamed (interface: Chat response). */
function wholeAnswer({ chatSessionId, id, created, model }: Completion, result: TurnResult) {
  const { text, citations, finishReason, toolCalls } = result
  const cited = citations.length === 0 ? {} : { citations }
  const message =
    toolCalls.length === 0
      ? { role: 'assistant', content: text, ...cited }
      : { role: 'assistant', content: text || null, tool_calls: toolCalls.map(wireCall), ...cited }
  return {
    chatSessionId,
    id,
    object: 'chat.completion',
    created,
    model,
    choices: [{ index: 0, message, finish_reason: finishReason }],
    usage: usageShape(result),
  }
}

/**
 * Writes OpenAI's chunks. What all its chunks share is serialised once, so that a
 * chunk of text costs one small JSON.stringify.
 */
function frameWriter(
  { id, created, model, chatSessionId }: Completion,
  usage: boolean,
): FrameWriter {
  const object = 'chat.completion.chunk'
  const head = JSON.stringify({ id, object, created, model, chatSessionId }).slice(0, -1)
  // With include_usage, every chunk except the last has `usage: null` (OpenAI, stream_options).
  const start = `${head},"choices":[{"index":0,"delta":`
  const tail = usage ? ',"usage":null}' : '}'
  const [beforeText, afterText] = dataFrame(
    `${start}{"content":\0},"finish_reason":null}]${tail}`,
  ).split('\0')
  return {
    begin: (isText) =>
      dataFrame(
        `${start}{"role":"assistant","content":${isText ? '""' : 'null'}},"finish_reason":null}]${tail}`,
      ),
    texts(texts) {
      let frames = ''
      for (const text of texts) frames += beforeText + JSON.stringify(text) + afterText
      return frames
    },
    end(result) {
      const { finishReason, citations, toolCalls } = result
      const cited = citations.length === 0 ? '' : `,"citations":${JSON.stringify(citations)}`
      const finish = `${start}{},"finish_reason":${JSON.stringify(finishReason)}}]${cited}${tail}`
      const used = `${head},"choices":[],"usage":${JSON.stringify(usageShape(result))}}`
      const calls =
        toolCalls.length === 0
          ? []
          : callDeltas(toolCalls).map((delta) => `${start}${delta},"finish_reason":null}]${tail}`)
      return [...calls, finish, ...(usage ? [used] : []), '[DONE]'].map(dataFrame).join('')
    },
    failed: (error) =>
      dataFrame(JSON.stringify({ error: { message: toChatFault(error).message } })),
  }
}

function usageShape({ usage }: TurnResult) {
  const { promptTokens, completionTokens } = usage
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  }
}
