import { findContinuation, keepResponse, type Continuation } from '#features/responses/index.ts'
import {
  findCallerAgent,
  turnFaults,
  type CallerAgent,
  type ChatCaller,
  type Turn,
} from '#features/turns/index.ts'
import { Fault, isFault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { readJson } from '#surfaces/http/api-request.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { beginTurn, nameModel, noteUse, streamAnswer } from './completions.ts'
import { readResponseRequest, type ResponseRequest } from './read-response-request.ts'
import { resolveItems } from './resolve-items.ts'
import { endedState, responseFrames, type Begun } from './response-frames.ts'
import { responseShape } from './response-shape.ts'

/** POST /api/v1/responses: another codec of the turn that chat completions begin. */
export async function createResponse(ctx: Context, c: Http, caller: ChatCaller): Promise<Response> {
  const body = await readJson(c.req, ctx.config.maxBodyBytes)
  const request = readResponseRequest(body, ctx.config)
  const agent = await findCallerAgent(ctx, caller, request.model)
  requireInstructions(request, agent)
  const place = { workspaceId: agent.workspaceId, agentId: agent.id }
  const { turn, inherited } = await begin(ctx, c, { request, agent, keyId: caller.keyId })
  noteUse(ctx, c, caller)
  c.header('X-Chat-Session-ID', turn.sessionId)
  const { messageId, sessionId } = turn
  const createdAt = ctx.clock.now()
  const begun: Begun = {
    id: messageId,
    createdAt,
    request: repeatedBy(request, agent),
    sessionId: request.store ? sessionId : null,
  }
  const keep = async () => {
    const firstSeq = turn.firstSeq + inherited
    if (request.store) await keepResponse(ctx, place, { ...begun, sessionId, firstSeq })
  }
  if (request.stream) {
    // Its first event has the id, so that must be found from then on.
    await keep()
    const frames = responseFrames(begun, messageId, () => ctx.clock.now())
    return await streamAnswer(ctx, c, turn, frames)
  }
  const { item: _item, part: _part, ...state } = endedState(messageId, await turn.answer())
  nameModel(turn, (name, model) => c.header(name, model))
  await keep()
  const completedAt = state.status === 'completed' ? ctx.clock.now() : null
  return c.json(responseShape({ ...begun, ...state, completedAt }))
}

/** @throws Fault field_forbidden: the agent does not allow instructions of a caller */
function requireInstructions({ instructions }: ResponseRequest, { settings }: CallerAgent): void {
  if (instructions !== null && !settings.allow_request_overrides.includes('instructions'))
    throw new Fault(turnFaults.field_forbidden, { field: 'instructions' })
}

interface Asked {
  readonly request: ResponseRequest
  readonly agent: CallerAgent
  readonly keyId: string
}

/** Begins the turn. If another turn was faster to continue the same answer, this one branches. */
async function begin(ctx: Context, c: Http, asked: Asked) {
  const { request, agent } = asked
  const place = { workspaceId: agent.workspaceId, agentId: agent.id }
  const messages = await resolveItems(ctx, place, request.items)
  // What is not stored must not wait for others, so it never continues the session itself.
  const from = await findContinuation(ctx, place, request, !request.store)
  const start = (continuation: Continuation) => beginIn(ctx, c, asked, continuation, messages)
  try {
    return { turn: await start(from), inherited: from.history.length }
  } catch (error) {
    if (!isFault(error, turnFaults.session_moved_on)) throw error
    const branch = await findContinuation(ctx, place, request, true)
    return { turn: await start(branch), inherited: branch.history.length }
  }
}

async function beginIn(
  ctx: Context,
  c: Http,
  { request, agent, keyId }: Asked,
  { history, endUser, ...session }: Continuation,
  messages: Awaited<ReturnType<typeof resolveItems>>,
): Promise<Turn> {
  return await beginTurn(ctx, c, {
    agent,
    keyId,
    ...session,
    messages: [...history, ...messages],
    instructions: request.instructions,
    stream: request.stream,
    store: request.store,
    endUser: endUser ?? request.endUser,
  })
}

/** What the response repeats: the request, and the agent's settings where it leaves them. */
function repeatedBy(
  { repeated, conversationId }: ResponseRequest,
  { appNameId, settings }: CallerAgent,
) {
  return {
    ...(settings.temperature === null ? {} : { temperature: settings.temperature }),
    max_output_tokens: settings.max_output_tokens,
    ...repeated,
    model: appNameId,
    // Marks the response as part of a conversation that the caller keeps.
    ...(conversationId === null ? {} : { conversation: true }),
  }
}
