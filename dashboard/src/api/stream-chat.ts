import type { ChatEvent } from './generated-operations.ts'
import { OperationError } from './operation-error.ts'
import { sendJson } from './send.ts'

export type { ChatEvent }
export type ChatCitation = Extract<ChatEvent, { type: 'done' }>['citations'][number]
export type ChatToolCall = Extract<ChatEvent, { type: 'tool_calls' }>['items'][number]

export type ChatPrompt = Extract<ChatEvent, { type: 'prompt' }>

/** A file of a message, as a data URL. */
export interface ChatAttachment {
  readonly type: 'image' | 'file'
  readonly name: string
  readonly url: string
}

/** Which settings answer, for comparisons; nothing is stored. */
export interface ChatVariant {
  readonly version: number | 'draft'
  /** Instead of the model of the settings. */
  readonly model?: string
}

interface EarlierMessage {
  readonly role: 'user' | 'assistant'
  readonly content: string
  readonly attachments: readonly ChatAttachment[]
}

export interface ChatInput {
  readonly appId: string
  readonly message: string
  readonly attachments: readonly ChatAttachment[]
  /** Continues this conversation. */
  readonly sessionId?: string
  /** Begins a new conversation with these messages. */
  readonly history?: readonly EarlierMessage[]
  readonly variant?: ChatVariant | undefined
  /** Whether the events include what is sent to the model; editors only. */
  readonly showsPrompt: boolean
}

/**
 * Sends a message to an agent and yields the answer as it arrives. Aborting the signal stops the model.
 *
 * @throws OperationError if the request is refused or the answer is interrupted
 */
export async function* streamChat(
  { appId, message, attachments, sessionId, history, variant, showsPrompt }: ChatInput,
  signal: AbortSignal,
): AsyncGenerator<ChatEvent> {
  const begun = sessionId === undefined ? { history } : { session_id: sessionId }
  const body = {
    message,
    attachments: attachments.map(({ type, name, url }) => ({ type, name, url })),
    ...begun,
    ...(variant === undefined ? {} : { ...variant, store: false }),
    show_prompt: showsPrompt,
  }
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
