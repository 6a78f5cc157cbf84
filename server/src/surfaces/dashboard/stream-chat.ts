import { z } from 'zod'
import { costOfMessages, hasPrice } from '#features/credits/index.ts'
import { findWorkspaceAgent, startTurn, type Turn } from '#features/turns/index.ts'
import { atLeast, type Role } from '#kernel/actor.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { isObject } from '#kernel/json.ts'
import { varyOperation, type Call, type Operation } from '#operations/operation.ts'
import { runOperation } from '#operations/run-operation.ts'
import type { Context } from '#platform/context.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { dataFrame, eventStream, type EventSink } from '#surfaces/http/event-stream.ts'
import { readJson } from '#surfaces/http/api-request.ts'
import { actingPerson } from './acting-person.ts'
import { toDashboardFault } from './dashboard-faults.ts'
import type { ChatEvent, ShownCall } from './page-answers.ts'
import { dashboardOperation } from './run-named-operation.ts'
import { sentPrompts, type SentPrompts } from './sent-prompts.ts'
import { messagesOf, testChatInput } from './test-chat-input.ts'
import { watchCalls } from './watch-calls.ts'

/** POST /api/dashboard/agents/{appId}/chat: chat_with_app as a stream of `chatEvent`s. */
export async function streamChat(ctx: Context, c: Http): Promise<Response> {
  const actor = await actingPerson(ctx, c)
  const body = await readJson(c.req, ctx.config.maxBodyBytes)
  if (!isObject(body))
    throw new Fault(commonFaults.invalid_input, { issues: ['the body must be an object'] })
  const startedAt = ctx.clock.now()
  const { signal } = c.req.raw
  const awaited = Promise.withResolvers<Begun>()
  const input = { ...body, app_id: c.req.param('appId') }
  await runOperation(ctx, actor, streamed(awaited.resolve), input, signal)
  const begun = await awaited.promise
  const { turn, workspaceId } = begun
  const produce = async (sink: EventSink) => {
    const report = (items: readonly ShownCall[]) => send(sink, { type: 'tool_calls', items })
    const watch = begun.showsCalls ? await watchCalls(ctx, { turn, workspaceId, report }) : null
    begun.prompts?.showTo((prompt) => send(sink, prompt))
    try {
      await send(sink, { type: 'start', session_id: turn.sessionId, message_id: turn.messageId })
      let firstTextMs: number | null = null
      const result = await turn.answer((texts) => {
        const text = texts.join('')
        if (text === '') return undefined
        firstTextMs ??= ctx.clock.now() - startedAt
        return send(sink, { type: 'text', text })
      })
      await watch?.end()
      await begun.prompts?.end()
      await send(sink, {
        type: 'done',
        cost_micros: await costOf(ctx, begun),
        finish_reason: result.finishReason,
        prompt_tokens: result.usage.promptTokens,
        completion_tokens: result.usage.completionTokens,
        citations: result.citations,
        first_token_ms: firstTextMs,
        latency_ms: ctx.clock.now() - startedAt,
      })
    } catch (error) {
      await watch?.end()
      await begun.prompts?.end()
      const about = { requestId: c.get('requestId'), sessionId: turn.sessionId }
      if (signal.aborted) ctx.log.info(about, 'the client of a test chat disconnected')
      else ctx.log.warn({ ...about, err: error }, 'a test chat failed')
      await send(sink, { type: 'error', error: toDashboardFault(error).error })
    }
  }
  return ctx.db.forTenant(workspaceId, () => eventStream(c, ctx, produce))
}

interface Begun {
  readonly turn: Turn
  readonly showsCalls: boolean
  readonly workspaceId: string
  /** The model of the agent. */
  readonly model: string
  /** Null for a person who does not see them. */
  readonly prompts: SentPrompts | null
}

/** @returns null for a model without a price: what the turn costs is not known */
async function costOf(ctx: Context, { turn, workspaceId, model }: Begun): Promise<number | null> {
  const costs = await costOfMessages(ctx.db.read, workspaceId, [turn.messageId])
  const cost = costs.get(turn.messageId) ?? 0
  return cost > 0 || (await hasPrice(ctx, turn.answeredBy() ?? model)) ? cost : null
}

/** The operation with its checks and its audit entry; the caller reads the turn. */
function streamed(begun: (begun: Begun) => void): Operation {
  return varyOperation(dashboardOperation('chat_with_app'), {
    role: 'viewer',
    input: testChatInput,
    output: z.strictObject({}),
    async run(ctx, call, input) {
      const { actor, workspaceId, signal } = call
      const { app_id, session_id, store, version, model } = input
      if (model !== undefined || input.show_prompt) requireRole(call, 'editor')
      const agent = await findWorkspaceAgent(ctx, workspaceId, app_id, { version, model })
      await call.record(agent.id)
      const prompts = input.show_prompt ? sentPrompts(ctx, agent.id) : null
      const request = {
        agent,
        source: actor.surface,
        sessionId: session_id ?? null,
        messages: messagesOf(input),
        store,
        stream: true,
        endUser: null,
        correlationId: actor.requestId ?? null,
        ...(prompts === null ? {} : { hearRequest: prompts.hear }),
      }
      const turn = await startTurn(ctx, request, signal)
      const showsCalls = agent.hasTools && store
      begun({ turn, showsCalls, workspaceId, model: agent.settings.model, prompts })
      return {}
    },
  })
}

/** A viewer may try the agent, but neither choose a model that costs more nor read the prompt. */
function requireRole({ role }: Call, needs: Role): void {
  if (!atLeast(role, needs)) throw new Fault(commonFaults.permission_denied, { role, needs })
}

async function send(sink: EventSink, event: ChatEvent): Promise<void> {
  await sink.write(dataFrame(JSON.stringify(event)))
}
