import type { OutputOf } from './call-operation.ts'
import { OperationError } from './operation-error.ts'
import { sendJson } from './send.ts'

type Message = OutputOf<'get_conversation'>['messages']['items'][number]
export type ChatCitation = Message['citations'][number]
export type ChatToolCall = Omit<Message['tool_calls'][number], 'created_at'>

/** What an answer under way tells, in order: start, then text and tool calls, then done or error. */
export type ChatEvent =
  | { readonly type: 'start'; readonly session_id: string; readonly message_id: string }
  | { readonly type: 'text'; readonly text: string }
  /** All calls so far, and those of earlier answers that this turn changed. */
  | { readonly type: 'tool_calls'; readonly items: readonly ChatToolCall[] }
  | {
      readonly type: 'done'
      readonly finish_reason: string
      /** Millionths of a credit. */
      readonly cost_micros: number
      readonly prompt_tokens: number
      readonly completion_tokens: number
      readonly citations: readonly ChatCitation[]
      readonly first_token_ms: number | null
      readonly latency_ms: number
    }
  | { readonly type: 'error'; readonly error: { readonly code: string; readonly message: string } }

export interface ChatInput {
  readonly appId: string
  readonly message: string
  /** Goes on with this conversation. */
  readonly sessionId?: string
}

/**
 * Says something to an agent; yields the answer as it comes. Aborting the signal stops the model.
 *
 * @throws OperationError when it is refused before it begins, or breaks off
 */
export async function* streamChat(
  { appId, message, sessionId }: ChatInput,
  signal: AbortSignal,
): AsyncGenerator<ChatEvent> {
  const body = { message, ...(sessionId === undefined ? {} : { session_id: sessionId }) }
  const response = await sendJson(`/agents/${encodeURIComponent(appId)}/chat`, body, signal)
  let ended = false
  for await (const event of eventsOf(response)) {
    yield event
    ended = event.type === 'done' || event.type === 'error'
  }
  if (!ended) throw new OperationError('cut', { code: 'cut', status: 0 })
}

async function* eventsOf(response: Response): AsyncGenerator<ChatEvent> {
  if (response.body === null) return
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    const frames = (rest + piece.value).split('\n\n')
    rest = frames.pop() ?? ''
    for (const frame of frames)
      if (frame.startsWith('data: ')) yield JSON.parse(frame.slice(6)) as ChatEvent // as written above
  }
}
