import type { ChatEvent } from './generated-operations.ts'
import { OperationError } from './operation-error.ts'
import { sendJson } from './send.ts'

export type { ChatEvent }
export type ChatCitation = Extract<ChatEvent, { type: 'done' }>['citations'][number]
export type ChatToolCall = Extract<ChatEvent, { type: 'tool_calls' }>['items'][number]

export interface ChatInput {
  readonly appId: string
  readonly message: string
  /** Continues this conversation. */
  readonly sessionId?: string
  /** Begins a new conversation with these messages. */
  readonly history?: readonly { readonly role: 'user' | 'assistant'; readonly content: string }[]
}

/**
 * Sends a message to an agent and yields the answer as it arrives. Aborting the signal stops the model.
 *
 * @throws OperationError if the request is refused or the answer is interrupted
 */
export async function* streamChat(
  { appId, message, sessionId, history }: ChatInput,
  signal: AbortSignal,
): AsyncGenerator<ChatEvent> {
  const begun = sessionId === undefined ? { history } : { session_id: sessionId }
  const body = { message, ...begun }
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
      if (frame.startsWith('data: ')) yield JSON.parse(frame.slice(6)) as ChatEvent // generated from the service's own schema
  }
}
