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
import { bearerToken, readJson } from '#surfaces/http/api-request.ts'
import { senderOf } from '#surfaces/http/client-address.ts'
import type { Http, HttpEnvironment } from '#surfaces/http/environment.ts'
import { dataFrame, eventStream, heartbeatMs, type EventSink } from '#surfaces/http/event-stream.ts'
import { requireAllowed } from '#surfaces/http/limits.ts'
import { toChatFault } from './fault-table.ts'
import { readChatRequest } from './read-request.ts'

type Batches = AsyncIterator<readonly string[]>

/** How often the last use of a key is stored. */
const noteUseEveryMs = 60_000

/** POST /api/v1/chat/completions; the checks have the interface's order. */
export function completions(ctx: Context): Handler<HttpEnvironment> {
  return async (c) => {
    const caller = await authenticate(ctx, c)
    return await ctx.db.forTenant(caller.workspaceId, () => complete(ctx, c, caller))
  }
}

async function complete(ctx: Context, c: Http, caller: ChatCaller): Promise<Response> {
  await limitCaller(ctx, caller)
  const body = await readJson(c.req, ctx.config.maxBodyBytes)
  const request = readChatRequest(body, c.req.header('x-chat-session-id'), ctx.config)
  const agent = await findCallerAgent(ctx, caller, request.model)
  const { keyId } = caller
  const correlationId = c.get('requestId')
  const input = { ...request, agent, keyId, source: 'api', correlationId }
  const turn = await startTurn(ctx, input, c.req.raw.signal)
  const now = ctx.clock.now()
  if (now - (caller.lastUsedAt ?? 0) >= noteUseEveryMs)
    void touchKey(ctx, keyId, now, senderOf(c, ctx.config))
  c.header('X-Chat-Session-ID', turn.sessionId)
  const about = { requestId: correlationId, sessionId: turn.sessionId, model: agent.appNameId }
  // So that a request can be found by its correlation id, however it ends.
  ctx.log.info(about, 'chat turn')
  const completion = completionOf(turn, agent.appNameId, now)
  return request.stream
    ? await streamAnswer(c, ctx, turn, chunkWriter(completion, request.includeUsage))
    : c.json(wholeAnswer(completion, await turn.done))
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
  const hasMore = /^bearer +[^ ]/i.test(authorization ?? '')
  return bearerToken(authorization) ?? (hasMore ? '' : null)
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

/**
 * Streams an answer as OpenAI's chunks. If the model fails before its first word, the answer is an
 * HTTP error. So the headers wait for the first batch, but no longer than one heartbeat: proxies
 * close silent connections.
 */
async function streamAnswer(
  c: Http,
  ctx: Context,
  turn: Turn,
  chunks: ChunkWriter,
): Promise<Response> {
  const batches = turn.events[Symbol.asyncIterator]()
  const first = batches.next()
  await within(heartbeatMs, first)
  if (await failedBeforeFirstWord(first, turn)) await turn.done
  return eventStream(c, ctx, async (sink) => {
    try {
      await sink.write(dataFrame(chunks.role()))
      await writeBatches(sink, chunks, first, batches)
      const result = await turn.done
      await sink.write(chunks.end(result).map(dataFrame).join(''))
    } catch (error) {
      const about = { requestId: c.get('requestId'), sessionId: turn.sessionId }
      if (c.req.raw.signal.aborted) ctx.log.info(about, 'the client disconnected')
      else ctx.log.warn({ ...about, err: error }, 'a streamed answer failed')
      const { message } = toChatFault(error)
      await sink.write(dataFrame(JSON.stringify({ error: { message } })))
    }
  })
}

async function writeBatches(
  sink: EventSink,
  chunks: ChunkWriter,
  first: ReturnType<Batches['next']>,
  batches: Batches,
): Promise<void> {
  for (let next = await first; next.done !== true; next = await batches.next())
    await sink.write(next.value.map((text) => dataFrame(chunks.text(text))).join(''))
}

/** True if the turn failed before any text. A successful answer may also be empty. */
async function failedBeforeFirstWord(first: ReturnType<Batches['next']>, turn: Turn) {
  const pending = Symbol('pending')
  const state = await Promise.race([first, Promise.resolve(pending)])
  if (typeof state === 'symbol' || state.done !== true) return false
  return await turn.done.then(
    () => false,
    () => true,
  )
}

async function within(milliseconds: number, promise: Promise<unknown>): Promise<void> {
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
  const { text, citations, finishReason } = result
  const cited = citations.length === 0 ? {} : { citations }
  const message = { role: 'assistant', content: text, ...cited }
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
 * Writes the chunks of one streamed answer as JSON. The shared fields are serialised once, so that
 * a chunk of text costs one small JSON.stringify.
 */
function chunkWriter({ id, created, model, chatSessionId }: Completion, includeUsage: boolean) {
  const object = 'chat.completion.chunk'
  const head = JSON.stringify({ id, object, created, model, chatSessionId })
  // With include_usage, every chunk except the last has `usage: null` (OpenAI, stream_options).
  const start = `${head.slice(0, -1)},"choices":[{"index":0,"delta":`
  const tail = includeUsage ? ',"usage":null}' : '}'
  const usage = (result: TurnResult) =>
    `${head.slice(0, -1)},"choices":[],"usage":${JSON.stringify(usageShape(result))}}`
  return {
    role: () => `${start}{"role":"assistant","content":""},"finish_reason":null}]${tail}`,
    text: (text: string) =>
      `${start}{"content":${JSON.stringify(text)}},"finish_reason":null}]${tail}`,
    end: (result: TurnResult) => {
      const { finishReason, citations } = result
      const cited = citations.length === 0 ? '' : `,"citations":${JSON.stringify(citations)}`
      const finish = `${start}{},"finish_reason":${JSON.stringify(finishReason)}}]${cited}${tail}`
      return [finish, ...(includeUsage ? [usage(result)] : []), '[DONE]']
    },
  }
}

type ChunkWriter = ReturnType<typeof chunkWriter>

function usageShape({ usage }: TurnResult) {
  const { promptTokens, completionTokens } = usage
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  }
}
