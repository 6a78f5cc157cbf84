import type { Handler } from 'hono'
import { touchKey } from '#features/api-keys/index.ts'
import {
  authenticateCaller,
  findCallerAgent,
  startTurn,
  type ChatCaller,
  type Turn,
} from '#features/turns/index.ts'
import type { Context } from '#platform/context.ts'
import { bearerToken, readJson, requestIdOf } from '#surfaces/http/api-request.ts'
import { senderOf } from '#surfaces/http/client-address.ts'
import type { Http, HttpEnvironment } from '#surfaces/http/environment.ts'
import { requireAllowed } from '#surfaces/http/limits.ts'
import { readChatRequest } from './read-request.ts'
import { completionFrames } from './completion-frames.ts'
import { nameModel, streamAnswer } from './stream-answer.ts'
import { wholeAnswer, type Completion } from './whole-answer.ts'

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
    return await streamAnswer(
      ctx,
      c,
      turn,
      completionFrames(completion, request.includeUsage),
      headers,
    )
  let reasoning = ''
  const hear = (texts: readonly string[]) => void (reasoning += texts.join(''))
  const result = await turn.answer(undefined, { reasoning: hear })
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

/** The `id` of an answer in OpenAI's form. */
export function completionId(messageId: string): string {
  return `chatcmpl-${messageId.replaceAll('-', '')}`
}

function completionOf(turn: Turn, model: string, now: number): Completion {
  const id = completionId(turn.messageId)
  return { id, created: Math.floor(now / 1000), model, chatSessionId: turn.sessionId }
}
