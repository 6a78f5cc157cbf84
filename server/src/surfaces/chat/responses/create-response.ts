import {
  beginAnswer,
  findEndUser,
  findResponse,
  keepResponse,
  keepWithin,
  queueResponse,
  type Continuation,
} from '#features/responses/index.ts'
import {
  findCallerAgent,
  turnFaults,
  type BegunTurn,
  type CallerAgent,
  type ChatCaller,
  type Turn,
} from '#features/turns/index.ts'
import { Fault } from '#kernel/fault.ts'
import { newId } from '#kernel/ids.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { readJson } from '#surfaces/http/api-request.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { backgroundShape, streamBackground } from './background-response.ts'
import { holdStream } from './background-streams.ts'
import { invalid } from '#surfaces/chat/chat-request-faults.ts'
import { beginTurn, noteUse } from '#surfaces/chat/completions.ts'
import { nameModel, streamAnswer } from '#surfaces/chat/stream-answer.ts'
import { readResponseRequest, type ResponseRequest } from './read-response-request.ts'
import { resolveItems, resolveWithFiles } from './resolve-items.ts'
import { endedState, responseFrames, type Begun } from './response-frames.ts'
import { mayBranch, reasoningItem, responseShape } from './response-shape.ts'

/** POST /api/v1/responses: another codec of the turn that chat completions begin. */
export async function createResponse(ctx: Context, c: Http, caller: ChatCaller): Promise<Response> {
  const body = await readJson(c.req, ctx.config.maxBodyBytes)
  const request = readResponseRequest(body, ctx.config)
  const agent = await findCallerAgent(ctx, caller, request.model)
  requireInstructions(request, agent)
  const place = { workspaceId: agent.workspaceId, agentId: agent.id }
  const repeated = repeatedBy(request, agent)
  if (request.store) requireStorable(repeated, ctx.config)
  const asked = { request, repeated, agent, keyId: caller.keyId }
  if (request.background) {
    noteUse(ctx, c, caller)
    return await createBackground(ctx, c, asked)
  }
  const createdAt = ctx.clock.now()
  const messageId = newId(createdAt)
  const named = { id: messageId, createdAt, request: repeated }
  const { turn, inherited } = await begin(ctx, c, asked, named)
  noteUse(ctx, c, caller)
  c.header('X-Chat-Session-ID', turn.sessionId)
  const { sessionId } = turn
  const begun: Begun = { ...named, sessionId: request.store ? sessionId : null }
  if (request.stream) {
    const frames = responseFrames(begun, messageId, () => ctx.clock.now())
    return await streamAnswer(ctx, c, turn, frames)
  }
  let thought = ''
  const hear = (texts: readonly string[]) => void (thought += texts.join(''))
  const result = await turn.answer(undefined, { reasoning: hear })
  const { item: _item, content: _content, ...ended } = endedState(messageId, result)
  const reasoning = thought === '' ? [] : [reasoningItem(messageId, [thought])]
  const state = { ...ended, output: [...reasoning, ...ended.output] }
  nameModel(turn, (name, model) => c.header(name, model))
  const firstSeq = turn.firstSeq + inherited
  if (request.store) await keepResponse(ctx, place, { ...named, sessionId, firstSeq })
  const completedAt = state.status === 'completed' ? ctx.clock.now() : null
  return c.json(responseShape({ ...begun, ...state, completedAt }))
}

/** @throws Fault field_forbidden: the agent does not allow instructions of a caller */
export function requireInstructions(
  { instructions }: Pick<ResponseRequest, 'instructions'>,
  { settings }: CallerAgent,
): void {
  if (instructions !== null && !settings.allow_request_overrides.includes('instructions'))
    throw new Fault(turnFaults.field_forbidden, { field: 'instructions' })
}

interface Asked {
  readonly request: ResponseRequest
  /** What the response repeats. */
  readonly repeated: ReturnType<typeof repeatedBy>
  readonly agent: CallerAgent
  readonly keyId: string
}

/** What is known of a response before its turn begins. */
type Named = Pick<Begun, 'id' | 'createdAt' | 'request'>

async function begin(ctx: Context, c: Http, asked: Asked, named: Named) {
  const { request, agent } = asked
  const place = { workspaceId: agent.workspaceId, agentId: agent.id }
  // The turn reads their files after it is counted.
  const messages = await resolveItems(ctx, place, request)
  return await beginAnswer(ctx, place, request, request.store, (continuation) =>
    beginIn(ctx, c, { ...asked, named, messages }, continuation),
  )
}

/** Stores the response and answers at once; with `stream`, follows it until its end. */
async function createBackground(ctx: Context, c: Http, asked: Asked) {
  const { request, repeated, agent, keyId } = asked
  const place = { workspaceId: agent.workspaceId, agentId: agent.id }
  const { previousResponseId, conversationId, instructions, options } = request
  const endUser = (await findEndUser(ctx, place, request)) ?? request.endUser
  const reader = { agent, keyId, endUser, store: true }
  const input = {
    messages: await resolveWithFiles(ctx, reader, request, c.req.raw.signal),
    previousResponseId,
    conversationId,
    instructions,
    endUser,
    keyId,
    correlationId: c.get('requestId'),
    ...(options === undefined ? {} : { options }),
  }
  const slot = request.stream ? holdStream(ctx, agent.id) : null
  try {
    const id = await queueResponse(ctx, agent, input, repeated)
    const queued = await findResponse(ctx, place, id)
    if (!mayBranch(queued)) c.header('X-Chat-Session-ID', queued.sessionId)
    if (slot === null) return c.json(await backgroundShape(ctx, queued))
    return streamBackground(ctx, c, place, queued, { after: -1, slot })
  } catch (error) {
    slot?.end()
    throw error
  }
}

async function beginIn(
  ctx: Context,
  c: Http,
  {
    request,
    agent,
    keyId,
    named,
    messages,
  }: Asked & {
    readonly named: Named
    readonly messages: Awaited<ReturnType<typeof resolveItems>>
  },
  { history, endUser, ...session }: Continuation,
): Promise<Turn> {
  const place = { workspaceId: agent.workspaceId, agentId: agent.id }
  // The first event of a stream has the id, so that must be found from then on.
  const keep = async (tx: Tx, { sessionId, firstSeq }: BegunTurn) =>
    await keepWithin(tx, place, { ...named, sessionId, firstSeq: firstSeq + history.length })
  return await beginTurn(ctx, c, {
    messageId: named.id,
    ...(request.stream && request.store ? { atBeginning: keep } : {}),
    agent,
    keyId,
    ...session,
    messages: [...history, ...messages],
    instructions: request.instructions,
    stream: request.stream,
    store: request.store,
    endUser: endUser ?? request.endUser,
    ...(request.options === undefined ? {} : { options: request.options }),
  })
}

/** What the response repeats: the request, and the agent's settings where it leaves them. */
function repeatedBy(
  { repeated, conversationId, options }: ResponseRequest,
  { appNameId, settings }: CallerAgent,
) {
  return {
    ...(settings.temperature === null ? {} : { temperature: settings.temperature }),
    max_output_tokens: leastOf(options?.maxOutputTokens, settings.max_output_tokens),
    ...repeated,
    model: appNameId,
    // Marks the response as part of a conversation that the caller keeps.
    ...(conversationId === null ? {} : { conversation: true }),
  }
}

/** What a response repeats is stored with it and read each time that it is read. */
function requireStorable(
  repeated: Asked['repeated'],
  { maxRepeatedBytes: most }: Context['config'],
): void {
  const bytes = Buffer.byteLength(JSON.stringify(repeated))
  if (bytes > most)
    throw invalid(
      `What a stored response repeats of its request (\`instructions\`, \`tools\`, \`text\`, \`metadata\` and short fields) must not be larger than ${most} bytes`,
    )
}

/** The agent's limit counts where it is lower. */
function leastOf(wanted: number | undefined, most: number | null): number | null {
  return wanted === undefined ? most : Math.min(wanted, most ?? wanted)
}
