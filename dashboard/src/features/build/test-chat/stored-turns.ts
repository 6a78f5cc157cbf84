import { callOperation, type OutputOf } from '#api/call-operation.ts'
import { OperationError } from '#api/operation-error.ts'
import { newTurn, type ChatTurn } from './chat-turn.ts'
import { cutReason } from './cut-reason.ts'

type Message = OutputOf<'get_conversation'>['messages']['items'][number]

/** How many messages are fetched at once. */
const pageLength = 100

/**
 * A stored conversation in the form that the test chat shows.
 *
 * @returns null if the agent has no such conversation
 */
export async function readTurns(
  appId: string,
  sessionId: string,
  signal: AbortSignal,
): Promise<readonly ChatTurn[] | null> {
  const messages: Message[] = []
  let cursor: string | null = null
  try {
    do {
      const from = cursor === null ? {} : { cursor }
      const input = { session_id: sessionId, limit: pageLength, ...from }
      const page: OutputOf<'get_conversation'> = await callOperation(
        'get_conversation',
        input,
        signal,
      )
      if (page.app_id !== appId) return null
      messages.push(...page.messages.items)
      cursor = page.messages.next_cursor
    } while (cursor !== null)
  } catch (error) {
    if (error instanceof OperationError && (error.status === 404 || error.status === 400))
      return null
    throw error
  }
  return turnsOf(messages)
}

function turnsOf(messages: readonly Message[]): readonly ChatTurn[] {
  const turns: ChatTurn[] = []
  for (const message of messages) {
    const last = turns.at(-1)
    // It has no answer until one is found: it may still be in progress, or was never stored.
    if (message.role === 'user')
      turns.push({
        ...newTurn(turns.length, message.content, message.has_parts ? null : []),
        status: 'stopped',
      })
    else if (message.role === 'assistant' && last !== undefined)
      turns[turns.length - 1] = answered(last, message)
  }
  return turns
}

function answered(turn: ChatTurn, message: Message): ChatTurn {
  const { content, error_code: code, tool_calls: calls, citations } = message
  const answer = {
    ...turn,
    answer: turn.answer + content,
    calls,
    citations,
    messageId: message.id,
    rating: message.rating,
  }
  if (code === 'turn_aborted') return { ...answer, status: 'stopped' }
  if (code !== null) return { ...answer, status: 'failed', problem: cutReason(code) }
  return {
    ...answer,
    status: 'done',
    figures: {
      prompt_tokens: message.prompt_tokens ?? 0,
      completion_tokens: message.completion_tokens ?? 0,
      first_token_ms: message.first_token_ms,
      latency_ms: message.latency_ms ?? 0,
      cost_micros: message.cost_micros,
    },
  }
}
