import type { Context as HonoContext } from 'hono'
import { touchKey } from '#features/api-keys/index.ts'
import {
  authenticateCaller,
  findCallerAgent,
  startTurn,
  type CallerAgent,
  type ChatCaller,
  type Turn,
} from '#features/turns/index.ts'
import type { Context } from '#platform/context.ts'
import { bearerToken, readJson } from '#surfaces/http/api-request.ts'
import type { HttpEnvironment } from '#surfaces/http/environment.ts'
import { completionOf, wholeAnswer, type Completion } from './completion-shapes.ts'
import { limitCaller } from './limit-caller.ts'
import { readChatRequest, type ChatRequest } from './read-request.ts'
import { streamAnswer } from './stream-answer.ts'

type Http = HonoContext<HttpEnvironment>

/** POST /api/v1/chat/completions, in the order in which the interface has things refused. */
export async function completions(ctx: Context, c: Http): Promise<Response> {
  const caller = await authenticate(ctx, c)
  await limitCaller(ctx, caller)
  const request = await readBody(ctx, c)
  const agent = await findCallerAgent(ctx, caller, request.model)
  const turn = await start(ctx, c, request, { agent, keyId: caller.keyId })
  void touchKey(ctx, caller.keyId, ctx.clock.now())
  c.header('X-Chat-Session-ID', turn.sessionId)
  logTurn(ctx, c, turn, agent.appNameId)
  const completion = completionOf(turn, agent.appNameId, ctx.clock.now())
  return request.stream
    ? await streamAnswer(c, ctx, turn, completion, request.includeUsage)
    : await answerWhole(c, turn, completion)
}

/** So that a request can be followed by its correlation id, whatever becomes of it. */
function logTurn({ log }: Context, c: Http, { sessionId }: Turn, model: string): void {
  log.info({ requestId: c.get('requestId'), sessionId, model }, 'chat turn')
}

export async function authenticate(ctx: Context, c: Http): Promise<ChatCaller> {
  return await authenticateCaller(ctx, givenKey(c.req.header('authorization')))
}

/**
 * The interface knows a missing and a bad key, and no malformed header: what follows `Bearer` and
 * is no token, such as two words, is a key that nobody has.
 */
function givenKey(authorization: string | undefined): string | null {
  const hasMore = /^bearer +[^ ]/i.test(authorization ?? '')
  return bearerToken(authorization) ?? (hasMore ? '' : null)
}

async function readBody(ctx: Context, c: Http): Promise<ChatRequest> {
  const body = await readJson(c.req, ctx.config.maxBodyBytes)
  return readChatRequest(body, c.req.header('x-chat-session-id'), ctx.config)
}

async function start(
  ctx: Context,
  c: Http,
  request: ChatRequest,
  asker: { readonly agent: CallerAgent; readonly keyId: string },
): Promise<Turn> {
  const correlationId = c.get('requestId')
  const { signal } = c.req.raw
  return await startTurn(ctx, { ...request, ...asker, source: 'api', correlationId }, signal)
}

async function answerWhole(c: Http, turn: Turn, completion: Completion): Promise<Response> {
  return c.json(wholeAnswer(completion, await turn.done))
}
