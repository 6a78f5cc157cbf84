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
import { toChatFault } from './fault-table.ts'
import { readChatRequest } from './read-request.ts'
import { callDeltas } from './write-calls.ts'
import { usageShape, wholeAnswer, type Completion } from './whole-answer.ts'

/** How often the last use of a key is stored. */
const noteUseEveryMs = 60_000

export const exposedHeaders = [
  'X-Chat-Session-ID',
  'X-Correlation-ID',
  'X-Request-ID',
  'X-Model',
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
  const asked = { ...request, agent, keyId: caller.keyId, showsSessionLate: true }
  const turn = await beginTurn(ctx, c, asked)
  const now = ctx.clock.now()
  noteUse(ctx, c, caller)
  headers['X-Chat-Session-ID'] = turn.sessionId
  const completion = completionOf(turn, agent.appNameId, now)
  if (request.stream)
    return await streamAnswer(ctx, c, turn, frameWriter(completion, request.includeUsage), headers)
  let reasoning = ''
  const result = await turn.answer(undefined, (texts) => {
    reasoning += texts.join('')
  })
  const answer = JSON.stringify(wholeAnswer(completion, result, reasoning))
  nameModel(turn, (name, model) => (headers[name] = model))
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

/** Sets the header that names the model of an answer, for an agent with several. */
export function nameModel(turn: Turn, set: (name: string, model: string) => unknown): void {
  const model = turn.answeredBy()
  if (model !== null) set('X-Model', model)
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
  /** Writes the model's reasoning; without it, the reasoning is not passed on. */
  reasoning?(texts: readonly string[]): string
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
  headers?: Record<string, string>,
): Promise<Response> {
  const begun = Promise.withResolvers<void>()
  const opened = Promise.withResolvers<EventSink>()
  let sink: EventSink | null = null
  let hasText = false
  let isText: boolean | null = null
  let hasFailed = false
  // Frames are written in the order of their numbers, so none is created before the first.
  const write = (frame: () => string) => {
    if (sink !== null) return sink.write(frame())
    begun.resolve()
    hasText = true
    return Promise.all([opened.promise, turn.stored]).then(([open]) => open.write(frame()))
  }
  const think = frames.reasoning?.bind(frames)
  const answer = turn.answer(
    (texts) => write(() => frames.texts(texts)),
    think && ((texts) => write(() => think(texts))),
  )
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
  await turn.stored
  // A slow model may still be replaced by another one.
  if (hasText || isText !== null)
    nameModel(turn, (name, model) => (headers ? (headers[name] = model) : c.header(name, model)))
  const produce = async (open: EventSink) => {
    try {
      await open.write(frames.begin(isText ?? true))
      sink = open
      opened.resolve(open)
      await open.write(frames.end(await answer))
    } catch (error) {
      noteFailure(ctx, c, turn, error)
      await open.write(frames.failed(error))
    }
  }
  return eventStream(c, ctx, produce, headers)
}

function noteFailure({ log }: Context, c: Http, { sessionId }: Turn, error: unknown): void {
  const about = { requestId: c.get('requestId'), sessionId }
  if (c.req.raw.signal.aborted) log.info(about, 'the client disconnected')
  else log.warn({ ...about, err: error }, 'a streamed answer failed')
}

/** Waits for a promise that never rejects, up to a time. */
async function within(milliseconds: number, promise: Promise<void>): Promise<void> {
  const { promise: elapsed, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, milliseconds)
  await Promise.race([promise, elapsed])
  clearTimeout(timer)
}

/** The `id` of an answer in OpenAI's form. */
export function completionId(messageId: string): string {
  return `chatcmpl-${messageId.replaceAll('-', '')}`
}

function completionOf(turn: Turn, model: string, now: number): Completion {
  const id = completionId(turn.messageId)
  return { id, created: Math.floor(now / 1000), model, chatSessionId: turn.sessionId }
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
  const used = (result: TurnResult) =>
    `${head},"choices":[],"usage":${JSON.stringify(usageShape(result))}}`
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
    reasoning: (texts) =>
      dataFrame(
        `${start}{"reasoning_content":${JSON.stringify(texts.join(''))}},"finish_reason":null}]${tail}`,
      ),
    end(result) {
      const { finishReason, citations, toolCalls } = result
      const cited = citations.length === 0 ? '' : `,"citations":${JSON.stringify(citations)}`
      const finish = `${start}{},"finish_reason":${JSON.stringify(finishReason)}}]${cited}${tail}`
      const calls =
        toolCalls.length === 0
          ? []
          : callDeltas(toolCalls).map((delta) => `${start}${delta},"finish_reason":null}]${tail}`)
      return [...calls, finish, ...(usage ? [used(result)] : []), '[DONE]'].map(dataFrame).join('')
    },
    failed: (error) =>
      dataFrame(JSON.stringify({ error: { message: toChatFault(error).message } })),
  }
}
