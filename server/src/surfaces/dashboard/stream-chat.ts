import { z } from 'zod'
import { costOfMessages } from '#features/credits/index.ts'
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
import { watchCalls } from './watch-calls.ts'

/** POST /api/dashboard/agents/{appId}/chat: chat_with_app as a stream of `chatEvent`s. */
export async function streamChat(ctx: Context, c: Http): Promise<Response> {
  const actor = await actingPerson(ctx, c)
  const body = await readJson(c.req, ctx.config.maxBodyBytes)
  if (!isObject(body))
    throw new Fault(commonFaults.invalid_input, { issues: ['the body must be an object'] })
  const startedAt = ctx.clock.now()
  const { signal } = c.req.raw
  const begun = Promise.withResolvers<Begun>()
  const input = { ...body, app_id: c.req.param('appId') }
  await runOperation(ctx, actor, streamed(begun.resolve), input, signal)
  const { turn, showsCalls, workspaceId } = await begun.promise
  const produce = async (sink: EventSink) => {
    const report = (items: readonly ShownCall[]) => send(sink, { type: 'tool_calls', items })
    const watch = showsCalls ? await watchCalls(ctx, { turn, workspaceId, report }) : null
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
      const costs = await costOfMessages(ctx.db.read, workspaceId, [turn.messageId])
      await send(sink, {
        type: 'done',
        cost_micros: costs.get(turn.messageId) ?? 0,
        finish_reason: result.finishReason,
        prompt_tokens: result.usage.promptTokens,
        completion_tokens: result.usage.completionTokens,
        citations: result.citations,
        first_token_ms: firstTextMs,
        latency_ms: ctx.clock.now() - startedAt,
      })
    } catch (error) {
      await watch?.end()
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
}

const earlierMessage = z.strictObject({
  role: z.enum(['user', 'assistant']),
  content: z.string().min(1).max(100_000),
})

/** The operation with its checks and its audit entry; the caller reads the turn. */
function streamed(begun: (begun: Begun) => void): Operation {
  return varyOperation(dashboardOperation('chat_with_app'), {
    role: 'viewer',
    input: z.object({
      app_id: z.string(),
      message: z.string().min(1).max(100_000),
      session_id: z.guid().toLowerCase().optional(),
      /** Begins a new conversation with these messages, to answer an earlier question again. */
      history: z.array(earlierMessage).max(1000).default([]),
      /** The settings that answer: those of a version, or of the draft. */
      version: z.union([z.int().min(1), z.literal('draft')]).default('draft'),
      /** For comparisons: answers with another model, and stores nothing. */
      model: z.string().min(1).max(200).optional(),
      store: z.boolean().default(true),
    }),
    output: z.strictObject({}),
    async run(ctx, call, { app_id, message, session_id, history, store, ...variant }) {
      const { actor, workspaceId, signal } = call
      if (variant.model !== undefined) requireRole(call, 'editor')
      const agent = await findWorkspaceAgent(ctx, workspaceId, app_id, variant)
      await call.record(agent.id)
      const request = {
        agent,
        source: actor.surface,
        sessionId: session_id ?? null,
        messages: [...history, { role: 'user' as const, content: message }],
        store,
        stream: true,
        endUser: null,
        correlationId: actor.requestId ?? null,
      }
      const turn = await startTurn(ctx, request, signal)
      begun({ turn, showsCalls: agent.hasTools && store, workspaceId })
      return {}
    },
  })
}

/** A viewer may try the agent, but not choose a model that costs more. */
function requireRole({ role }: Call, needs: Role): void {
  if (!atLeast(role, needs)) throw new Fault(commonFaults.permission_denied, { role, needs })
}

async function send(sink: EventSink, event: ChatEvent): Promise<void> {
  await sink.write(dataFrame(JSON.stringify(event)))
}
