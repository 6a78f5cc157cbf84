import { setTimeout as sleep } from 'node:timers/promises'
import { createAction, type NewAction } from '#features/actions/index.ts'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'
import type { ChatService, OpenChat } from './chat-service.ts'
import { actorOf } from '#test/support/test-instance.ts'
import type { ModelScript, ScriptedCall } from '#test/support/servers/model-wires.ts'

export const loopback = { OUTBOUND_ALLOW_PRIVATE: '127.0.0.1' }

interface ToolCallShown {
  readonly name: string
  readonly status: string
  readonly arguments: Record<string, unknown>
  readonly http_status: number | null
  readonly error_code: string | null
  readonly error: string | null
  readonly duration_ms: number | null
  readonly response: string | null
}

/** Opens a chat whose model requests the tools of each round in turn, and then replies `Done.` */
export async function openWithToolCalls(
  open: OpenChat,
  rounds: readonly (readonly ScriptedCall[])[],
  environment: Readonly<Record<string, string>> = {},
) {
  const script = (_: unknown, n: number): ModelScript =>
    rounds[n] === undefined ? { reply: 'Done.' } : { reply: '', toolCalls: rounds[n] }
  return await open({ model: { script }, environment: { ...loopback, ...environment } })
}

export async function addAction(chat: ChatService, action: Partial<NewAction> & { url: string }) {
  const { ctx, owner, agent } = chat
  const base = { name: 'get_weather', description: 'The weather of a city', method: 'GET' } as const
  return await createAction(ctx, owner.workspaceId, agent.id, { ...base, ...action })
}

export const cityParameter = { in: 'query', key: 'city', type: 'string', required: true } as const

/** The body of the model's `n`th request, as text. */
export function sentToModel(chat: ChatService, n: number): string {
  return JSON.stringify(chat.model.requests[n]?.body)
}

/** The tool results in the `n`th request. */
export function toolResults(chat: ChatService, n: number): unknown[] {
  const { messages } = chat.model.requests[n]!.body as { messages: Record<string, string>[] } // OpenAI's format.
  return messages.filter(({ role }) => role === 'tool').map(({ content }) => JSON.parse(content!))
}

/** The tool calls of the conversation, as the dashboard shows them. */
export async function transcriptCalls(
  chat: ChatService,
  sessionId: string,
): Promise<ToolCallShown[]> {
  const conversation = await runOperation(
    chat.ctx,
    actorOf(chat.owner),
    findOperation('get_conversation')!,
    { session_id: sessionId, limit: 100 },
  )
  const { items } = conversation.messages as { items: { tool_calls: ToolCallShown[] }[] } // A list.
  return items.flatMap(({ tool_calls: calls }) => calls)
}

/** Calls `find` for up to two seconds, until its result is not null. */
export async function eventually<T>(find: () => Promise<T | null>): Promise<T> {
  for (let tries = 0; tries < 200; tries += 1) {
    const found = await find()
    if (found !== null) return found
    await sleep(10)
  }
  throw new Error('no result within two seconds')
}
